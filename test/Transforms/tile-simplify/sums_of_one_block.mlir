// A sum that has at most one block is its body, or zero without one.
// RUN: lora-opt %s -tile-simplify | FileCheck %s

// CHECK-LABEL: tile.kernel @one_block
tile.kernel @one_block(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32) grid ["1", "1", "1"] {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %most = arith.minsi %n, %c64 : i32
  %X = tile.view %x sizes [%n] strides [1] : !tile.ptr<f32> -> !tile.view<?xf32>
  %Y = tile.view %y sizes [%n] strides [1] : !tile.ptr<f32> -> !tile.view<?xf32>
  // CHECK-NOT: tile.sum
  // CHECK:     %[[TILE:.*]] = tile.load %{{.*}} : !tile.view<?xf32> -> tensor<64xf32>
  // A sum starts at +0, which makes +0 of a -0.
  // CHECK:     %[[BLOCK:.*]] = arith.addf %{{.*}}, %[[TILE]]
  // CHECK:     %[[SOME:.*]] = arith.cmpi sgt, %{{.*}}, %{{.*}} : i32
  // CHECK:     %[[SUM:.*]] = arith.select %[[SOME]], %[[BLOCK]], %{{.*}}
  // CHECK-NOT: tile.sum
  // CHECK:     tile.store %[[SUM]]
  %sum, %all = tile.sum %k below %most step 64 -> tensor<64xf32> {
    %tile = tile.load %X[%k] : !tile.view<?xf32> -> tensor<64xf32>
    tile.yield %tile : tensor<64xf32>
  }
  tile.store %sum, %Y[%c0] : tensor<64xf32>, !tile.view<?xf32>
  tile.return
}

// CHECK-LABEL: tile.kernel @more_blocks
tile.kernel @more_blocks(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32) grid ["1", "1", "1"] {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %most = arith.minsi %n, %c64 : i32
  %X = tile.view %x sizes [%n] strides [1] : !tile.ptr<f32> -> !tile.view<?xf32>
  %Y = tile.view %y sizes [%n] strides [1] : !tile.ptr<f32> -> !tile.view<?xf32>
  // CHECK: tile.sum
  %sum, %all = tile.sum %k below %most step 32 -> tensor<32xf32> {
    %tile = tile.load %X[%k] : !tile.view<?xf32> -> tensor<32xf32>
    tile.yield %tile : tensor<32xf32>
  }
  tile.store %sum, %Y[%c0] : tensor<32xf32>, !tile.view<?xf32>
  tile.return
}
