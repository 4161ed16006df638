// The tiles of a product lie as the fragments of mma.m16n8k16 do, permuted so that a lane holds
// eight consecutive elements along k and, where there are 32 columns, eight consecutive columns.
// RUN: lora-opt %s -tile-schedule -tile-assign-layouts | FileCheck %s

// CHECK-LABEL: tile.kernel @product
tile.kernel @product(%x: !tile.ptr<f16>, %y: !tile.ptr<f32>, %n: i32) grid ["1", "1", "1"]
    config {WARPS = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  %Y = tile.view %y sizes [%n, %n] strides [64, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32>
  %sum, %all = tile.sum %k below %n step 32 -> tensor<16x32xf32> {
    // CHECK: tile.load {{.*}} -> tensor<16x32xf16, #tile.layout<register = {{\[\[}}0, 1], [0, 2], [0, 4], [8, 0]], lane = {{\[\[}}0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = []>>
    %a = tile.load %X[%c0, %k] : !tile.view<?x?xf16> -> tensor<16x32xf16>
    // CHECK: tile.load {{.*}} -> tensor<32x32xf16, #tile.layout<register = {{\[\[}}1, 0], [2, 0], [4, 0], [0, 2], [0, 4]], lane = {{\[\[}}8, 0], [16, 0], [0, 1], [0, 8], [0, 16]], warp = []>>
    %b = tile.load %X[%k, %c0] : !tile.view<?x?xf16> -> tensor<32x32xf16>
    // CHECK: tile.dot {{.*}} -> tensor<16x32xf32, #tile.layout<register = {{\[\[}}0, 1], [0, 2], [0, 4], [8, 0]], lane = {{\[\[}}0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = []>>
    %product = tile.dot %a, %b : tensor<16x32xf16>, tensor<32x32xf16> -> tensor<16x32xf32>
    tile.yield %product : tensor<16x32xf32>
  }
  // The sum is stored as it comes.
  // CHECK-NOT: tile.convert_layout
  tile.store %sum, %Y[%c0, %c0] : tensor<16x32xf32>, !tile.view<?x?xf32>
  tile.return
}
