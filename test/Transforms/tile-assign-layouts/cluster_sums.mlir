// A sum that all programs of a cluster see comes in a layout in which every thread adds up its share
// of the parts; what follows is computed in it too, and converted when it is narrow.
// RUN: lora-opt %s -tile-schedule -tile-assign-layouts -cse | FileCheck %s

module attributes {tile.target = "sm_90a"} {
// CHECK-LABEL: tile.kernel @to_all
tile.kernel @to_all(%x: !tile.ptr<f16>, %w: !tile.ptr<f16>, %y: !tile.ptr<f32>, %n: i32, %f: f32)
    grid ["1", "1", "1"] config {WARPS = 2 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  %W = tile.view %w sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  %Y = tile.view %y sizes [%n, %n] strides [64, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32>
  // CHECK: %[[SUM:.*]], %{{.*}} = tile.sum {{.*}} -> tensor<16x16xf32, #[[SPREAD:tile.layout<register = \[\[0, 1\], \[0, 2\]\], lane = \[\[0, 4\], \[0, 8\], \[1, 0\], \[2, 0\], \[4, 0\]\], warp = \[\[8, 0\]\]>]]>
  %sum, %all = tile.sum %k below %n step 32 split 4 across x to all -> tensor<16x16xf32> {
    %a = tile.load %X[%c0, %k] : !tile.view<?x?xf16> -> tensor<16x32xf16>
    %b = tile.load %W[%k, %c0] : !tile.view<?x?xf16> -> tensor<32x16xf16>
    %product = tile.dot %a, %b : tensor<16x32xf16>, tensor<32x16xf16> -> tensor<16x16xf32>
    tile.yield %product : tensor<16x16xf32>
  }
  // CHECK:      %[[SCALED:.*]] = arith.mulf %[[SUM]], %{{.*}} : tensor<16x16xf32, #[[SPREAD]]>
  // CHECK:      %[[NARROW:.*]] = arith.truncf %[[SCALED]] : tensor<16x16xf32, #[[SPREAD]]> to tensor<16x16xf16, #[[SPREAD]]>
  // CHECK-NEXT: %[[LHS:.*]] = tile.convert_layout %[[NARROW]] : tensor<16x16xf16, #[[SPREAD]]> -> tensor<16x16xf16, #{{.*}}>
  // CHECK-NOT:  tile.convert_layout
  // CHECK:      tile.dot %[[LHS]]
  %factor = tile.splat %f : f32 -> tensor<16x16xf32>
  %scaled = arith.mulf %sum, %factor : tensor<16x16xf32>
  %narrow = arith.truncf %scaled : tensor<16x16xf32> to tensor<16x16xf16>
  %b = tile.load %W[%c0, %c0] : !tile.view<?x?xf16> -> tensor<16x16xf16>
  %product = tile.dot %narrow, %b : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
  tile.store %product, %Y[%c0, %c0] : tensor<16x16xf32>, !tile.view<?x?xf32>
  tile.return
}

// One that the first program sees alone comes in the layout that is asked for.
// CHECK-LABEL: tile.kernel @to_one
tile.kernel @to_one(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32) grid ["1", "1", "1"]
    config {WARPS = 2 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32>
  %Y = tile.view %y sizes [%n, %n] strides [64, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32>
  // CHECK:     %[[SUM:.*]], %{{.*}} = tile.sum {{.*}} -> tensor<16x32xf32, #[[LAYOUT:tile.layout<.*>]]> {
  // CHECK-NOT: tile.convert_layout
  // CHECK:     tile.store %[[SUM]], %{{.*}} : tensor<16x32xf32, #[[LAYOUT]]>
  %sum, %mine = tile.sum %k below %n step 32 split 4 across x to one -> tensor<16x32xf32> {
    %tile = tile.load %X[%c0, %k] : !tile.view<?x?xf32> -> tensor<16x32xf32>
    tile.yield %tile : tensor<16x32xf32>
  }
  scf.if %mine {
    tile.store %sum, %Y[%c0, %c0] : tensor<16x32xf32>, !tile.view<?x?xf32>
  }
  tile.return
}
}
