// Warps hold their share of the rows and columns; what they share is a zero vector.
// RUN: lora-opt %s -tile-schedule -tile-assign-layouts | FileCheck %s

// CHECK-LABEL: tile.kernel @warps
tile.kernel @warps(%x: !tile.ptr<f16>, %y: !tile.ptr<f32>, %n: i32) grid ["1", "1", "1"]
    config {WARPS = 8 : i64, WARPS_K = 2 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  %Y = tile.view %y sizes [%n, %n] strides [64, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32>
  %sum, %all = tile.sum %k below %n step 16 -> tensor<32x16xf32> {
    // CHECK: tile.load {{.*}} -> tensor<32x16xf16, {{.*}}, warp = {{\[\[}}16, 0], [0, 0], [0, 0]]>>
    %a = tile.load %X[%c0, %k] : !tile.view<?x?xf16> -> tensor<32x16xf16>
    // CHECK: tile.load {{.*}} -> tensor<16x16xf16, {{.*}}, warp = {{\[\[}}0, 0], [0, 8], [0, 0]]>>
    %b = tile.load %X[%k, %c0] : !tile.view<?x?xf16> -> tensor<16x16xf16>
    // CHECK: tile.dot {{.*}} -> tensor<32x16xf32, {{.*}}, warp = {{\[\[}}16, 0], [0, 8], [0, 0]]>>
    %product = tile.dot %a, %b : tensor<32x16xf16>, tensor<16x16xf16> -> tensor<32x16xf32>
    tile.yield %product : tensor<32x16xf32>
  }
  tile.store %sum, %Y[%c0, %c0] : tensor<32x16xf32>, !tile.view<?x?xf32>
  tile.return
}
