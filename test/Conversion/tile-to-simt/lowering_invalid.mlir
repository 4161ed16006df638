// RUN: lora-opt %s -tile-to-simt -verify-diagnostics -split-input-file

// expected-error@+1 {{expected a specialised kernel: run tile-specialize first}}
tile.kernel @k() params [K = 32 in [32]] grid ["1", "1", "1"] {
  tile.return
}

// -----

#wide = #tile.layout<register = [[0, 1], [0, 2], [0, 4], [8, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = []>
#narrow = #tile.layout<register = [[0, 1], [0, 2], [8, 0]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = []>
tile.kernel @k(%c: i32) grid ["1", "1", "1"] config {WARPS = 1 : i64} {
  %tile = arith.constant dense<1.0> : tensor<16x32xf16, #wide>
  // expected-error@+1 {{expected slices of a multiple of 128 bytes a row, got 32}}
  %slice = tile.slice %tile[%c] : tensor<16x32xf16, #wide> -> tensor<16x16xf16, #narrow>
  tile.return
}

// -----

#rows = #tile.layout<register = [[0, 1], [0, 2], [0, 4], [8, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = []>
tile.kernel @k(%n: i32) grid ["1", "1", "1"] config {WARPS = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %tile = arith.constant dense<1.0> : tensor<16x32xf16, #rows>
  %one = scf.for %i = %c0 to %n step %n iter_args(%carried = %tile) -> (tensor<16x32xf16, #rows>) : i32 {
    // expected-error@+1 {{expected a slice of a tile that an op outside of tile.sum computes}}
    %slice = tile.slice %carried[%c0] : tensor<16x32xf16, #rows> -> tensor<16x32xf16, #rows>
    scf.yield %slice : tensor<16x32xf16, #rows>
  }
  tile.return
}

// -----

tile.kernel @k(%x: !tile.ptr<f32>, %n: i32) grid ["1", "1", "1"] {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n] strides [1] : !tile.ptr<f32> -> !tile.view<?xf32>
  // expected-error@+1 {{expected a tile with a layout: run tile-assign-layouts first}}
  %tile = tile.load %X[%c0] : !tile.view<?xf32> -> tensor<32xf32>
  tile.return
}
