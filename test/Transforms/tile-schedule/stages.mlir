// More than one stage sends operands that can be copied asynchronously through shared memory.
// RUN: lora-opt %s -tile-schedule | FileCheck %s

// CHECK-LABEL: tile.kernel @staged
tile.kernel @staged(%x: !tile.ptr<f16>, %n: i32) grid ["1", "1", "1"]
    config {WARPS = 1 : i64, STAGES = 3 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  // CHECK: tile.sum %{{.*}} schedule #tile.schedule<path = shared, stages = 3, warps = [1, 1, 1], split = none>
  %sum, %all = tile.sum %k below %n step 32 -> tensor<16x32xf32> {
    %a = tile.load %X[%c0, %k] {alignment = 4} : !tile.view<?x?xf16> -> tensor<16x32xf16>
    %b = tile.load %X[%k, %c0] {alignment = 4} : !tile.view<?x?xf16> -> tensor<32x32xf16>
    %product = tile.dot %a, %b : tensor<16x32xf16>, tensor<32x32xf16> -> tensor<16x32xf32>
    tile.yield %product : tensor<16x32xf32>
  }
  tile.return
}

// Without a ring, the blocks under way are in registers, of whatever alignment.
// CHECK-LABEL: tile.kernel @in_registers
tile.kernel @in_registers(%x: !tile.ptr<f16>, %n: i32) grid ["1", "1", "1"]
    config {WARPS = 1 : i64, STAGES = 2 : i64, RING = 0 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  // CHECK: tile.sum %{{.*}} schedule #tile.schedule<path = direct, stages = 2, warps = [1, 1, 1], split = none>
  %sum, %all = tile.sum %k below %n step 32 -> tensor<16x32xf32> {
    %a = tile.load %X[%c0, %k] {alignment = 2} : !tile.view<?x?xf16> -> tensor<16x32xf16>
    %b = tile.load %X[%k, %c0] {alignment = 2} : !tile.view<?x?xf16> -> tensor<32x32xf16>
    %product = tile.dot %a, %b : tensor<16x32xf16>, tensor<32x32xf16> -> tensor<16x32xf32>
    tile.yield %product : tensor<16x32xf32>
  }
  tile.return
}
