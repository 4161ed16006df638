// RUN: lora-opt %s -verify-diagnostics -split-input-file

tile.kernel @k(%f: f32) grid ["1", "1", "1"] {
  // expected-error@+1 {{expected a tile of 'f32', got 'tensor<16xf16>'}}
  %0 = tile.splat %f : f32 -> tensor<16xf16>
  tile.return
}

// -----

tile.kernel @k(%f: f32) grid ["1", "1", "1"] {
  // expected-error@+1 {{result #0 must be tile of rank 1 or 2 with powers of two or a #tile.shape as sizes, but got 'tensor<12xf32>'}}
  %0 = tile.splat %f : f32 -> tensor<12xf32>
  tile.return
}

// -----

tile.kernel @k(%f: f32) grid ["1", "1", "1"] {
  // expected-error@+1 {{result #0 must be tile of rank 1 or 2 with powers of two or a #tile.shape as sizes, but got 'tensor<?xf32>'}}
  %0 = tile.splat %f : f32 -> tensor<?xf32>
  tile.return
}

// -----

tile.kernel @k(%f: f32) grid ["1", "1", "1"] {
  // expected-error@+1 {{result #0 must be tile of rank 1 or 2 with powers of two or a #tile.shape as sizes, but got 'tensor<2x2x2xf32>'}}
  %0 = tile.splat %f : f32 -> tensor<2x2x2xf32>
  tile.return
}

// -----

tile.kernel @k() grid ["1", "1", "1"] {
  // expected-error@+1 {{result #0 must be tile of row indices of rank 1 and type i32 with a power of two or a #tile.shape as size, but got 'tensor<16xi64>'}}
  %0 = tile.iota : tensor<16xi64>
  tile.return
}

// -----

tile.kernel @k() grid ["1", "1", "1"] {
  %v = tile.iota : tensor<16xi32>
  // expected-error@+1 {{expected 32 : i64 elements, got 16 : i64}}
  %0 = tile.broadcast %v along 1 : tensor<16xi32> -> tensor<32x16xi32>
  tile.return
}

// -----

tile.kernel @k() grid ["1", "1", "1"] {
  %v = arith.constant dense<0> : tensor<16x16xi32>
  // expected-error@+1 {{expected a tile of rank 1 of 'i32', got 'tensor<16x16xi32>'}}
  %0 = tile.broadcast %v along 1 : tensor<16x16xi32> -> tensor<16x16xi32>
  tile.return
}

// -----

tile.kernel @k() grid ["1", "1", "1"] {
  %v = tile.iota : tensor<16xi32>
  // expected-error@+1 {{attribute 'dimension' failed to satisfy constraint: 32-bit signless integer attribute whose value is non-negative whose maximum value is 1}}
  %0 = tile.broadcast %v along 2 : tensor<16xi32> -> tensor<16x16xi32>
  tile.return
}

// -----

tile.kernel @k(%f: f32, %c: i32) grid ["1", "1", "1"] {
  %t = tile.splat %f : f32 -> tensor<16x64xf32>
  // expected-error@+1 {{expected rows of 16 : i64 of 'f32', got 'tensor<32x32xf32>'}}
  %0 = tile.slice %t[%c] : tensor<16x64xf32> -> tensor<32x32xf32>
  tile.return
}

// -----

tile.kernel @k(%f: f32, %c: i32) grid ["1", "1", "1"] {
  %t = tile.splat %f : f32 -> tensor<16x64xf32>
  // expected-error@+1 {{expected rows of 16 : i64 of 'f32', got 'tensor<16x32xf16>'}}
  %0 = tile.slice %t[%c] : tensor<16x64xf32> -> tensor<16x32xf16>
  tile.return
}

// -----

tile.kernel @k(%f: f32, %c: i32) grid ["1", "1", "1"] {
  %t = tile.splat %f : f32 -> tensor<16x64xf32>
  // expected-error@+1 {{expected a divisor of 64 columns, got 128}}
  %0 = tile.slice %t[%c] : tensor<16x64xf32> -> tensor<16x128xf32>
  tile.return
}

// -----

tile.kernel @k(%f: f32) grid ["1", "1", "1"] {
  %v = tile.splat %f : f32 -> tensor<16xf32>
  // expected-error@+1 {{expected float tiles of one shape, got 'tensor<16xf32>' and 'tensor<32xf16>'}}
  %0 = tile.cast %v : tensor<16xf32> -> tensor<32xf16>
  tile.return
}

// -----

tile.kernel @k() grid ["1", "1", "1"] {
  %v = tile.iota : tensor<16xi32>
  // expected-error@+1 {{expected float tiles of one shape, got 'tensor<16xi32>' and 'tensor<16xf32>'}}
  %0 = tile.cast %v : tensor<16xi32> -> tensor<16xf32>
  tile.return
}

// -----

tile.kernel @k(%f: f32) grid ["1", "1", "1"] {
  %v = tile.splat %f : f32 -> tensor<16xf32>
  // expected-error@+1 {{expected two layouts of one tile, got 'tensor<16xf32>' and 'tensor<16xf32>'}}
  %0 = tile.convert_layout %v : tensor<16xf32> -> tensor<16xf32>
  tile.return
}
