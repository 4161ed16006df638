// Operands that pass through shared memory are loaded in pieces as large as their alignment, and
// converted to fragments.
// RUN: lora-opt %s -tile-schedule -tile-assign-layouts | FileCheck %s

// CHECK-LABEL: tile.kernel @shared
tile.kernel @shared(%x: !tile.ptr<f16>, %n: i32) grid ["1", "1", "1"]
    config {WARPS = 1 : i64, STAGES = 2 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  %sum, %all = tile.sum %k below %n step 64 -> tensor<16x8xf32> {
    // CHECK:      %[[A:.*]] = tile.load {{.*}} -> tensor<16x64xf16, #tile.layout<register = {{\[\[}}0, 1], [0, 2], [0, 4], [4, 0], [8, 0]], lane = {{\[\[}}0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = []>>
    // CHECK:      %[[LHS:.*]] = tile.convert_layout %[[A]]
    %a = tile.load %X[%c0, %k] {alignment = 16} : !tile.view<?x?xf16> -> tensor<16x64xf16>
    // CHECK:      %[[B:.*]] = tile.load {{.*}} -> tensor<64x8xf16, #tile.layout<register = {{\[\[}}0, 1], [8, 0], [16, 0], [32, 0]], lane = {{\[\[}}0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>>
    %b = tile.load %X[%k, %c0] {alignment = 4} : !tile.view<?x?xf16> -> tensor<64x8xf16>
    // CHECK:      %[[RHS:.*]] = tile.convert_layout %[[B]]
    // CHECK:      tile.dot %[[LHS]], %[[RHS]]
    %product = tile.dot %a, %b : tensor<16x64xf16>, tensor<64x8xf16> -> tensor<16x8xf32>
    tile.yield %product : tensor<16x8xf32>
  }
  tile.return
}
