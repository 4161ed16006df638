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
