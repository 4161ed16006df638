// What leads up to an operand is computed in the operand's layout.
// RUN: lora-opt %s -tile-schedule -tile-assign-layouts | FileCheck %s

// CHECK-LABEL: tile.kernel @elementwise
tile.kernel @elementwise(%x: !tile.ptr<f32>, %f: f32, %n: i32) grid ["1", "1", "1"]
    config {WARPS = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32>
  %two = arith.constant dense<2.0> : tensor<16x16xf32>
  %factor = tile.splat %f : f32 -> tensor<16x16xf32>
  %sum, %all = tile.sum %k below %n step 16 -> tensor<16x16xf32> {
    // CHECK: %[[A:.*]] = tile.load {{.*}} -> tensor<16x16xf32, #[[LHS:tile.layout<register = .*, lane = .*, warp = .*>]]>
    %a = tile.load %X[%c0, %k] : !tile.view<?x?xf32> -> tensor<16x16xf32>
    %b = tile.load %X[%k, %c0] : !tile.view<?x?xf32> -> tensor<16x16xf32>
    // CHECK: %[[TWICE:.*]] = arith.mulf %[[A]], %{{.*}} : tensor<16x16xf32, #[[LHS]]>
    %twice = arith.mulf %a, %two : tensor<16x16xf32>
    // CHECK: %[[SCALED:.*]] = arith.mulf %[[TWICE]], %{{.*}} : tensor<16x16xf32, #[[LHS]]>
    %scaled = arith.mulf %twice, %factor : tensor<16x16xf32>
    // CHECK: tile.dot %[[SCALED]], %{{.*}} : tensor<16x16xf32, #[[LHS]]>
    %product = tile.dot %scaled, %b : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    tile.yield %product : tensor<16x16xf32>
  }
  tile.return
}
