// RUN: lora-opt %s -verify-diagnostics -split-input-file

tile.kernel @k(%n: i32) grid ["1", "1", "1"] {
  // expected-error@+1 {{expected 'step' to be a power of two, got 48}}
  %0, %1 = tile.sum %k below %n step 48 -> tensor<16xf32> {
    %tile = arith.constant dense<0.0> : tensor<16xf32>
    tile.yield %tile : tensor<16xf32>
  }
  tile.return
}

// -----

tile.kernel @k(%n: i32) grid ["1", "1", "1"] {
  // expected-error@+1 {{expected 'split' to be a power of two, got 0}}
  %0, %1 = tile.sum %k below %n step 32 split 0 across x to all -> tensor<16xf32> {
    %tile = arith.constant dense<0.0> : tensor<16xf32>
    tile.yield %tile : tensor<16xf32>
  }
  tile.return
}

// -----

tile.kernel @k(%n: i32) grid ["1", "1", "1"] {
  // expected-error@+1 {{names 'BLOCK_K', which is no parameter of kernel @k}}
  %0, %1 = tile.sum %k below %n step BLOCK_K -> tensor<16xf32> {
    %tile = arith.constant dense<0.0> : tensor<16xf32>
    tile.yield %tile : tensor<16xf32>
  }
  tile.return
}

// -----

tile.kernel @k(%n: i32) grid ["1", "1", "1"] {
  // expected-error@+1 {{expected 'x', 'y' or 'z', 'to', and 'one' or 'all', got 'w to all'}}
  %0, %1 = tile.sum %k below %n step 32 split 2 across w to all -> tensor<16xf32> {
  }
  tile.return
}

// -----

tile.kernel @k(%n: i32) grid ["1", "1", "1"] {
  // expected-error@+1 {{expected a sum of f32 tiles, got 'tensor<16xf16>'}}
  %0, %1 = tile.sum %k below %n step 32 -> tensor<16xf16> {
    %tile = arith.constant dense<0.0> : tensor<16xf16>
    tile.yield %tile : tensor<16xf16>
  }
  tile.return
}

// -----

tile.kernel @k(%n: i32) grid ["1", "1", "1"] {
  // expected-error@+1 {{expected the body to yield a tile}}
  %0, %1 = tile.sum %k below %n step 32 -> tensor<16xf32> {
  }
  tile.return
}

// -----

tile.kernel @k(%n: i32) grid ["1", "1", "1"] {
  // expected-error@+1 {{expected the body to yield 'tensor<16xf32>', got 'tensor<32xf32>'}}
  %0, %1 = tile.sum %k below %n step 32 -> tensor<16xf32> {
    %tile = arith.constant dense<0.0> : tensor<32xf32>
    tile.yield %tile : tensor<32xf32>
  }
  tile.return
}

// -----

tile.kernel @k(%n: i32) grid ["1", "1", "1"] {
  // expected-error@+1 {{expected a body with one i32 argument}}
  %0, %1 = "tile.sum"(%n) ({
    %tile = arith.constant dense<0.0> : tensor<16xf32>
    tile.yield %tile : tensor<16xf32>
  }) {step = 32, split = 1, axis = #tile<axis x>, visibility = #tile<visibility all>} : (i32) -> (tensor<16xf32>, i1)
  tile.return
}

// -----

tile.kernel @k(%n: i32) grid ["1", "1", "1"] {
  %tile = arith.constant dense<0.0> : tensor<16xf32>
  // expected-error@+1 {{'tile.yield' op expects parent op 'tile.sum'}}
  tile.yield %tile : tensor<16xf32>
}
