// Tile sizes become the numbers that their expressions have.
// RUN: lora-opt %s -tile-specialize=set=M=32 | FileCheck %s

// CHECK-LABEL: tile.kernel @sizes
// CHECK-NOT:   params
// CHECK:       config {M = 32 : i64, N = 8 : i64}
tile.kernel @sizes(%x: !tile.ptr<f32>, %n: i32) params [M = 16 in [16, 32], N = 8 in [8, 16]]
    grid ["1", "1", "1"] {
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32>
  // CHECK: tile.load %{{.*}} -> tensor<32x16xf32>
  %tile = tile.load %X[%n, %n] : !tile.view<?x?xf32> -> tensor<?x?xf32, #tile.shape<M, "2 * N">>
  // CHECK: tile.store %{{.*}} : tensor<32x16xf32>
  tile.store %tile, %X[%n, %n] : tensor<?x?xf32, #tile.shape<M, "2 * N">>, !tile.view<?x?xf32>
  tile.return
}
