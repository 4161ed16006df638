// A dot decides how warps share a sum, also when more is done with its product.
// RUN: lora-opt %s -tile-schedule | FileCheck %s

// CHECK-LABEL: tile.kernel @scaled
tile.kernel @scaled(%x: !tile.ptr<f16>, %n: i32) grid ["1", "1", "1"]
    config {WARPS = 4 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  // CHECK: tile.sum %{{.*}} schedule #tile.schedule<path = direct, stages = 1, warps = [1, 4, 1], split = none>
  %sum, %all = tile.sum %k below %n step 32 -> tensor<16x32xf32> {
    %a = tile.load %X[%c0, %k] : !tile.view<?x?xf16> -> tensor<16x32xf16>
    %b = tile.load %X[%k, %c0] : !tile.view<?x?xf16> -> tensor<32x32xf16>
    %product = tile.dot %a, %b : tensor<16x32xf16>, tensor<32x32xf16> -> tensor<16x32xf32>
    %twice = arith.addf %product, %product : tensor<16x32xf32>
    tile.yield %twice : tensor<16x32xf32>
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @no_dot
tile.kernel @no_dot(%n: i32) grid ["1", "1", "1"] config {WARPS = 8 : i64, WARPS_K = 2 : i64} {
  // CHECK: tile.sum %{{.*}} schedule #tile.schedule<path = direct, stages = 1, warps = [4, 1, 2], split = none>
  %sum, %all = tile.sum %k below %n step 32 -> tensor<16xf32> {
    %one = arith.constant dense<1.0> : tensor<16xf32>
    tile.yield %one : tensor<16xf32>
  }
  tile.return
}
