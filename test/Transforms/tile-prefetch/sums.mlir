// Loads behind a sum that do not need it are made before it, up to the first write.
// RUN: lora-opt %s -tile-prefetch | FileCheck %s

// CHECK-LABEL: tile.kernel @behind
tile.kernel @behind(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32) grid ["1", "1", "1"] {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %X = tile.view %x sizes [%n] strides [1] : !tile.ptr<f32> -> !tile.view<?xf32>
  %Y = tile.view %y sizes [%n] strides [1] : !tile.ptr<f32> -> !tile.view<?xf32>
  // CHECK:     %[[BEFORE:.*]] = tile.load %{{.*}}[%{{.*}}] : !tile.view<?xf32> -> tensor<64xf32>
  // CHECK:     tile.sum
  %sum, %all = tile.sum %k below %n step 64 -> tensor<64xf32> {
    %tile = tile.load %X[%k] : !tile.view<?xf32> -> tensor<64xf32>
    tile.yield %tile : tensor<64xf32>
  }
  // CHECK:     tile.yield
  // CHECK-NOT: tile.load
  // CHECK:     tile.store
  %old = tile.load %Y[%c0] : !tile.view<?xf32> -> tensor<64xf32>
  %new = arith.addf %sum, %old : tensor<64xf32>
  tile.store %new, %Y[%c0] : tensor<64xf32>, !tile.view<?xf32>
  // CHECK:     tile.load
  // CHECK:     tile.store
  %other = tile.load %Y[%c64] : !tile.view<?xf32> -> tensor<64xf32>
  %more = arith.addf %sum, %other : tensor<64xf32>
  tile.store %more, %Y[%c64] : tensor<64xf32>, !tile.view<?xf32>
  tile.return
}
