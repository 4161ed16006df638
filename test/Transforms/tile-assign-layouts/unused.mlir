// What no one uses is erased; a sum stays, with the layout of its parts.
// RUN: lora-opt %s -tile-schedule -tile-assign-layouts | FileCheck %s

// CHECK-LABEL: tile.kernel @unused
tile.kernel @unused(%x: !tile.ptr<f32>, %n: i32) grid ["1", "1", "1"]
    config {WARPS = 2 : i64, WARPS_K = 2 : i64} {
  %X = tile.view %x sizes [%n] strides [1] : !tile.ptr<f32> -> !tile.view<?xf32>
  // CHECK: tile.sum {{.*}} -> tensor<64xf32, #tile.layout<
  %sum, %all = tile.sum %k below %n step 64 -> tensor<64xf32> {
    %tile = tile.load %X[%k] : !tile.view<?xf32> -> tensor<64xf32>
    tile.yield %tile : tensor<64xf32>
  }
  // CHECK-NOT: arith.addf
  %twice = arith.addf %sum, %sum : tensor<64xf32>
  tile.return
}

// What branches give no one gets a layout all the same.
// CHECK-LABEL: tile.kernel @unread_branches
tile.kernel @unread_branches(%x: !tile.ptr<f16>, %n: i32) grid ["1", "1", "1"]
    config {WARPS = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  %is_some = arith.cmpi sgt, %n, %c0 : i32
  // CHECK: scf.if %{{.*}} -> (tensor<16x16xf16, #[[ANY:tile.layout<.*>]]>) {
  // CHECK:   scf.yield %{{.*}} : tensor<16x16xf16, #[[ANY]]>
  // CHECK:   scf.yield %{{.*}} : tensor<16x16xf16, #[[ANY]]>
  %a = scf.if %is_some -> tensor<16x16xf16> {
    %loaded = tile.load %X[%c0, %c0] : !tile.view<?x?xf16> -> tensor<16x16xf16>
    scf.yield %loaded : tensor<16x16xf16>
  } else {
    %zeros = arith.constant dense<0.0> : tensor<16x16xf16>
    scf.yield %zeros : tensor<16x16xf16>
  }
  tile.return
}
