// RUN: lora-opt %s | lora-opt | FileCheck %s
// RUN: lora-opt %s -mlir-print-op-generic | lora-opt | FileCheck %s

// CHECK-LABEL: tile.kernel @whole
tile.kernel @whole(%n: i32, %f: f32) grid ["1", "1", "1"] {
  // CHECK: tile.sum %[[K:.*]] below %n step 32 -> tensor<16xf32> {
  %sum, %visible = tile.sum %k below %n step 32 -> tensor<16xf32> {
    %tile = tile.splat %f : f32 -> tensor<16xf32>
    // CHECK: tile.yield %{{.*}} : tensor<16xf32>
    tile.yield %tile : tensor<16xf32>
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @split
tile.kernel @split(%n: i32, %f: f32) params [BLOCK_K = 32 in [32], SPLIT_K = 2 in [1, 2]]
    grid ["SPLIT_K", "1", "1"] {
  // CHECK: %{{.*}}, %[[MINE:.*]] = tile.sum %{{.*}} below %n step BLOCK_K split SPLIT_K across x to one -> tensor<16xf32> {
  %sum, %mine = tile.sum %k below %n step BLOCK_K split SPLIT_K across x to one -> tensor<16xf32> {
    %tile = tile.splat %f : f32 -> tensor<16xf32>
    tile.yield %tile : tensor<16xf32>
  }
  // CHECK: scf.if %[[MINE]]
  scf.if %mine {
  }
  // CHECK: tile.sum %{{.*}} below %n step 64 split 4 across z to all -> tensor<16xf32> {
  %other, %all = tile.sum %k below %n step 64 split 4 across z to all -> tensor<16xf32> {
    %tile = tile.splat %f : f32 -> tensor<16xf32>
    tile.yield %tile : tensor<16xf32>
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @scheduled
tile.kernel @scheduled(%n: i32, %f: f32) grid ["1", "1", "1"] {
  // CHECK: tile.sum %{{.*}} below %n step 32 schedule #tile.schedule<path = shared, stages = 3, warps = [2, 1, 2], split = none> -> tensor<16xf32> {
  %sum, %visible = tile.sum %k below %n step 32
      schedule #tile.schedule<path = shared, stages = 3, warps = [2, 1, 2], split = none> -> tensor<16xf32> {
    %tile = tile.splat %f : f32 -> tensor<16xf32>
    tile.yield %tile : tensor<16xf32>
  }
  tile.return
}
