// A schedule in the source is kept.
// RUN: lora-opt %s -tile-schedule | FileCheck %s

// CHECK-LABEL: tile.kernel @given
tile.kernel @given(%x: !tile.ptr<f16>, %n: i32) grid ["1", "1", "1"]
    config {WARPS = 4 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  // CHECK: tile.sum %{{.*}} schedule #tile.schedule<path = shared, stages = 2, warps = [1, 2, 2], split = none>
  %sum, %all = tile.sum %k below %n step 32 schedule #tile.schedule<path = shared, stages = 2, warps = [1, 2, 2], split = none> -> tensor<32x32xf32> {
    %a = tile.load %X[%c0, %k] : !tile.view<?x?xf16> -> tensor<32x32xf16>
    %b = tile.load %X[%k, %c0] : !tile.view<?x?xf16> -> tensor<32x32xf16>
    %product = tile.dot %a, %b : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    tile.yield %product : tensor<32x32xf32>
  }
  tile.return
}
