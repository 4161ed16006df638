// A load that nothing else decides gives each thread 16 bytes along the contiguous dimension of
// its view, and neighbouring threads neighbouring pieces.
// RUN: lora-opt %s -tile-assign-layouts | FileCheck %s

// CHECK-LABEL: tile.kernel @copy
tile.kernel @copy(%x: !tile.ptr<f16>, %n: i32) grid ["1", "1", "1"] config {WARPS = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  // CHECK: tile.load {{.*}} -> tensor<8x32xf16, #tile.layout<register = {{\[\[}}0, 1], [0, 2], [0, 4]], lane = {{\[\[}}0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = []>>
  %0 = tile.load %X[%c0, %c0] : !tile.view<?x?xf16> -> tensor<8x32xf16>
  tile.store %0, %X[%c0, %c0] : tensor<8x32xf16>, !tile.view<?x?xf16>
  // CHECK: tile.transpose
  %T = tile.transpose %X : !tile.view<?x?xf16>
  // CHECK: tile.load {{.*}} -> tensor<32x8xf16, #tile.layout<register = {{\[\[}}1, 0], [2, 0], [4, 0]], lane = {{\[\[}}8, 0], [16, 0], [0, 1], [0, 2], [0, 4]], warp = []>>
  %1 = tile.load %T[%c0, %c0] : !tile.view<?x?xf16> -> tensor<32x8xf16>
  tile.store %1, %T[%c0, %c0] : tensor<32x8xf16>, !tile.view<?x?xf16>
  tile.return
}
