// RUN: lora-opt %s -tile-schedule -tile-assign-layouts -tile-to-simt -verify-diagnostics

// Warps that share the reduced dimension run apart and cannot meet at a barrier of the block.
tile.kernel @k(%x: !tile.ptr<f32>, %n: i32) grid ["1", "1", "1"]
    config {WARPS = 2 : i64, WARPS_K = 2 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32>
  %sum, %all = tile.sum %k below %n step 16 -> tensor<16x16xf32> {
    %tile = tile.load %X[%c0, %k] : !tile.view<?x?xf32> -> tensor<16x16xf32>
    // expected-error@+1 {{a change of layout inside a tile.sum whose warps run apart is not supported; set WARPS_K = 1}}
    %square = tile.dot %tile, %tile : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    %cube = tile.dot %tile, %square : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    tile.yield %cube : tensor<16x16xf32>
  }
  tile.store %sum, %X[%c0, %c0] : tensor<16x16xf32>, !tile.view<?x?xf32>
  tile.return
}
