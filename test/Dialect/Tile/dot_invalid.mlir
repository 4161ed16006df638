// RUN: lora-opt %s -verify-diagnostics -split-input-file

tile.kernel @k() grid ["1", "1", "1"] {
  %a = arith.constant dense<0.0> : tensor<16x64xf16>
  %b = arith.constant dense<0.0> : tensor<32x16xf16>
  // expected-error@+1 {{expected shapes m x k, k x n and m x n, got 'tensor<16x64xf16>', 'tensor<32x16xf16>' and 'tensor<16x16xf32>'}}
  %0 = tile.dot %a, %b : tensor<16x64xf16>, tensor<32x16xf16> -> tensor<16x16xf32>
  tile.return
}

// -----

tile.kernel @k() grid ["1", "1", "1"] {
  %a = arith.constant dense<0.0> : tensor<16x64xf16>
  %b = arith.constant dense<0.0> : tensor<64x16xf16>
  // expected-error@+1 {{expected shapes m x k, k x n and m x n, got 'tensor<16x64xf16>', 'tensor<64x16xf16>' and 'tensor<32x16xf32>'}}
  %0 = tile.dot %a, %b : tensor<16x64xf16>, tensor<64x16xf16> -> tensor<32x16xf32>
  tile.return
}

// -----

tile.kernel @k() grid ["1", "1", "1"] {
  %a = arith.constant dense<0.0> : tensor<16x64xf16>
  %b = arith.constant dense<0.0> : tensor<64x16xf16>
  // expected-error@+1 {{expected an f32 result, got 'tensor<16x16xf16>'}}
  %0 = tile.dot %a, %b : tensor<16x64xf16>, tensor<64x16xf16> -> tensor<16x16xf16>
  tile.return
}

// -----

tile.kernel @k() grid ["1", "1", "1"] {
  %a = arith.constant dense<0> : tensor<16x64xi32>
  %b = arith.constant dense<0> : tensor<64x16xi32>
  // expected-error@+1 {{expected operands of f16, bf16 or f32, got 'i32'}}
  %0 = tile.dot %a, %b : tensor<16x64xi32>, tensor<64x16xi32> -> tensor<16x16xf32>
  tile.return
}

// -----

tile.kernel @k() grid ["1", "1", "1"] {
  %a = arith.constant dense<0.0> : tensor<16x64xf16>
  %b = arith.constant dense<0.0> : tensor<64x16xf32>
  // expected-error@+1 {{expected two 16-bit operands or two f32 operands, got 'f16' and 'f32'}}
  %0 = tile.dot %a, %b : tensor<16x64xf16>, tensor<64x16xf32> -> tensor<16x16xf32>
  tile.return
}

// -----

tile.kernel @k() grid ["1", "1", "1"] {
  %a = arith.constant dense<0.0> : tensor<64xf16>
  %b = arith.constant dense<0.0> : tensor<64x16xf16>
  // expected-error@+1 {{operand #0 must be tile of rank 2 with powers of two or a #tile.shape as sizes, but got 'tensor<64xf16>'}}
  %0 = tile.dot %a, %b : tensor<64xf16>, tensor<64x16xf16> -> tensor<16x16xf32>
  tile.return
}

// -----

tile.kernel @k() grid ["1", "1", "1"] {
  %a = arith.constant dense<0.0> : tensor<16x16xf16>
  %c = arith.constant dense<0.0> : tensor<16x32xf32>
  // expected-error@+1 {{expected an accumulator of 'tensor<16x16xf32>', got 'tensor<16x32xf32>'}}
  %0 = "tile.dot"(%a, %a, %c) : (tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x32xf32>) -> tensor<16x16xf32>
  tile.return
}
