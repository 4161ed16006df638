// RUN: lora-opt %s -verify-diagnostics -split-input-file

// expected-error@+1 {{expected a pointer to f16, bf16, f32, i32, i64, a pointer or a type parameter, got 'i1'}}
tile.kernel @k(%x: !tile.ptr<i1>) grid ["1", "1", "1"] {
  tile.return
}

// -----

// expected-error@+1 {{expected a pointer to f16, bf16, f32, i32, i64, a pointer or a type parameter, got 'tensor<16xf16>'}}
tile.kernel @k(%x: !tile.ptr<tensor<16xf16>>) grid ["1", "1", "1"] {
  tile.return
}

// -----

// expected-error@+1 {{expected only '?' dimensions in a view: its sizes are operands}}
tile.kernel @k(%x: !tile.view<?x16xf16>) grid ["1", "1", "1"] {
  tile.return
}

// -----

// expected-error@+1 {{expected a view of rank 1 to 3, got rank 4}}
tile.kernel @k(%x: !tile.view<?x?x?x?xf16>) grid ["1", "1", "1"] {
  tile.return
}

// -----

// expected-error@+1 {{expected an element type among f16, bf16, f32, i32, i64, pointer and type parameter, got 'i8'}}
tile.kernel @k(%x: !tile.view<?xi8>) grid ["1", "1", "1"] {
  tile.return
}
