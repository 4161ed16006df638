// Both branches of a conditional give their tile in the layout of the first.
// RUN: lora-opt %s -tile-assign-layouts | FileCheck %s

// CHECK-LABEL: tile.kernel @branches
tile.kernel @branches(%x: !tile.ptr<f32>, %n: i32, %f: f32) grid ["1", "1", "1"]
    config {WARPS = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32>
  %is_empty = arith.cmpi eq, %n, %c0 : i32
  // CHECK: scf.if %{{.*}} -> (tensor<8x32xf32, #[[LAYOUT:tile.layout<.*>]]>) {
  %tile = scf.if %is_empty -> tensor<8x32xf32> {
    %splat = tile.splat %f : f32 -> tensor<8x32xf32>
    // CHECK: scf.yield %{{.*}} : tensor<8x32xf32, #[[LAYOUT]]>
    scf.yield %splat : tensor<8x32xf32>
  } else {
    %loaded = tile.load %X[%c0, %c0] : !tile.view<?x?xf32> -> tensor<8x32xf32>
    // CHECK: scf.yield %{{.*}} : tensor<8x32xf32, #[[LAYOUT]]>
    scf.yield %loaded : tensor<8x32xf32>
  }
  tile.store %tile, %X[%c0, %c0] : tensor<8x32xf32>, !tile.view<?x?xf32>
  tile.return
}
