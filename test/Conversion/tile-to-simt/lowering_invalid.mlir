// RUN: lora-opt %s -tile-to-simt -verify-diagnostics -split-input-file

// expected-error@+1 {{expected a specialised kernel: run tile-specialize first}}
tile.kernel @k() params [K = 32 in [32]] grid ["1", "1", "1"] {
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
