// RUN: lora-opt %s -verify-diagnostics -split-input-file

tile.kernel @k(%x: !tile.ptr<f16>, %n: i32) grid ["1", "1", "1"] {
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  // expected-error@+1 {{expected 2 coordinates, got 1}}
  %0 = tile.load_scalar %X[%n] : !tile.view<?x?xf16> -> f16
  tile.return
}

// -----

tile.kernel @k(%x: !tile.ptr<f16>, %n: i32) grid ["1", "1", "1"] {
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  // expected-error@+1 {{expected a result of 'f16', got 'f32'}}
  %0 = tile.load_scalar %X[%n, %n] : !tile.view<?x?xf16> -> f32
  tile.return
}

// -----

tile.kernel @k(%x: !tile.ptr<f16>, %n: i32) grid ["1", "1", "1"] {
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  // expected-error@+1 {{expected a tile and coordinates of the view's rank 2, got 'tensor<16x16xf16>' and 1 coordinates}}
  %0 = tile.load %X[%n] : !tile.view<?x?xf16> -> tensor<16x16xf16>
  tile.return
}

// -----

tile.kernel @k(%x: !tile.ptr<f16>, %n: i32) grid ["1", "1", "1"] {
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  // expected-error@+1 {{expected a tile and coordinates of the view's rank 2, got 'tensor<16xf16>' and 2 coordinates}}
  %0 = tile.load %X[%n, %n] : !tile.view<?x?xf16> -> tensor<16xf16>
  tile.return
}

// -----

tile.kernel @k(%x: !tile.ptr<f16>, %n: i32) grid ["1", "1", "1"] {
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  // expected-error@+1 {{expected a tile of 'f16', got 'tensor<16x16xbf16>'}}
  %0 = tile.load %X[%n, %n] : !tile.view<?x?xf16> -> tensor<16x16xbf16>
  tile.return
}

// -----

tile.kernel @k(%x: !tile.ptr<f16>, %n: i32) grid ["1", "1", "1"] {
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  // expected-error@+1 {{expected padding of 'f16', got 1.000000e+00 : f32}}
  %0 = tile.load %X[%n, %n] padding 1.0 : f32 : !tile.view<?x?xf16> -> tensor<16x16xf16>
  tile.return
}

// -----

tile.kernel @k(%x: !tile.ptr<f16>, %n: i32) grid ["1", "1", "1"] {
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  // expected-error@+1 {{expected 2 in_bounds flags, got 1}}
  %0 = tile.load %X[%n, %n] {in_bounds = array<i1: true>} : !tile.view<?x?xf16> -> tensor<16x16xf16>
  tile.return
}

// -----

tile.kernel @k(%x: !tile.ptr<f16>, %n: i32) grid ["1", "1", "1"] {
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  // expected-error@+1 {{attribute 'alignment' failed to satisfy constraint: 64-bit signless integer attribute whose value is positive}}
  %0 = tile.load %X[%n, %n] {alignment = 0} : !tile.view<?x?xf16> -> tensor<16x16xf16>
  tile.return
}

// -----

tile.kernel @k(%x: !tile.ptr<f16>, %n: i32) grid ["1", "1", "1"] {
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  %rows = tile.iota : tensor<16xi32>
  // expected-error@+1 {{expected one row index for each of the 32 : i64 rows, got 16 : i64}}
  %0 = tile.gather %X[%rows, %n] : !tile.view<?x?xf16>, tensor<16xi32> -> tensor<32x16xf16>
  tile.return
}

// -----

tile.kernel @k(%x: !tile.ptr<f16>, %n: i32) grid ["1", "1", "1"] {
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  %rows = tile.iota : tensor<16xi32>
  // expected-error@+1 {{expected a tile of 'f16', got 'tensor<16x16xf32>'}}
  %0 = tile.gather %X[%rows, %n] : !tile.view<?x?xf16>, tensor<16xi32> -> tensor<16x16xf32>
  tile.return
}

// -----

tile.kernel @k(%x: !tile.ptr<f16>, %n: i32) grid ["1", "1", "1"] {
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  %rows = arith.constant dense<0> : tensor<16xi64>
  // expected-error@+1 {{operand #1 must be tile of row indices of rank 1 and type i32 with a power of two or a #tile.shape as size, but got 'tensor<16xi64>'}}
  %0 = tile.gather %X[%rows, %n] : !tile.view<?x?xf16>, tensor<16xi64> -> tensor<16x16xf16>
  tile.return
}

// -----

tile.kernel @k(%x: !tile.ptr<f16>, %n: i32) grid ["1", "1", "1"] {
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  %value = arith.constant dense<0.0> : tensor<16x16xf32>
  // expected-error@+1 {{expected a tile of 'f16', got 'tensor<16x16xf32>'}}
  tile.store %value, %X[%n, %n] : tensor<16x16xf32>, !tile.view<?x?xf16>
  tile.return
}

// -----

// The sum is taken in f32.

tile.kernel @k(%x: !tile.ptr<f16>, %n: i32) grid ["1", "1", "1"] {
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  %value = arith.constant dense<0.0> : tensor<16x16xf16>
  // expected-error@+1 {{expected an f32 tile to accumulate, got 'tensor<16x16xf16>'}}
  tile.store %value, %X[%n, %n] accumulate : tensor<16x16xf16>, !tile.view<?x?xf16>
  tile.return
}

// -----

tile.kernel @k(%x: !tile.ptr<i32>, %n: i32) grid ["1", "1", "1"] {
  %X = tile.view %x sizes [%n] strides [1] : !tile.ptr<i32> -> !tile.view<?xi32>
  %value = arith.constant dense<0.0> : tensor<16xf32>
  // expected-error@+1 {{expected a view of floats to accumulate to, got '!tile.view<?xi32>'}}
  tile.store %value, %X[%n] accumulate : tensor<16xf32>, !tile.view<?xi32>
  tile.return
}

// -----

tile.kernel @k(%x: !tile.ptr<f16>, %n: i32) grid ["1", "1", "1"] {
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  %value = arith.constant dense<0.0> : tensor<16x16xf16>
  %rows = tile.iota : tensor<32xi32>
  // expected-error@+1 {{expected one row index for each of the 16 : i64 rows, got 32 : i64}}
  tile.scatter %value, %X[%rows, %n] : tensor<16x16xf16>, !tile.view<?x?xf16>, tensor<32xi32>
  tile.return
}

// -----

tile.kernel @k(%x: !tile.ptr<f16>, %n: i32) grid ["1", "1", "1"] {
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  %value = arith.constant dense<0.0> : tensor<16x16xf16>
  %rows = tile.iota : tensor<16xi32>
  // expected-error@+1 {{expected an f32 tile to accumulate, got 'tensor<16x16xf16>'}}
  tile.scatter %value, %X[%rows, %n] accumulate : tensor<16x16xf16>, !tile.view<?x?xf16>, tensor<16xi32>
  tile.return
}
