// RUN: lora-opt %s -verify-diagnostics -split-input-file

// expected-error@+1 {{expected the default of parameter 'B' among its candidates, got 8}}
tile.kernel @k() params [B = 8 in [16, 32]] grid ["1", "1", "1"] {
  tile.return
}

// -----

// expected-error@+1 {{expected letters, digits and '_' as the name of a parameter, got 'B M'}}
tile.kernel @k() params ["B M" = 8 in [8]] grid ["1", "1", "1"] {
  tile.return
}

// -----

// expected-error@+1 {{expected f16, bf16 or f32 as a candidate of type parameter 'X', got 'i32'}}
tile.kernel @k() types [X = f16 in [f16, i32]] grid ["1", "1", "1"] {
  tile.return
}

// -----

// expected-error@+1 {{expected the default of type parameter 'X' among its candidates, got 'f32'}}
tile.kernel @k() types [X = f32 in [f16, bf16]] grid ["1", "1", "1"] {
  tile.return
}

// -----

tile.kernel @k() params [B = 8 in [8]] grid ["1", "1", "1"] {
  // expected-error@+1 {{names 'C', which is no parameter of kernel @k}}
  %0 = tile.param "B * C" : i32
  tile.return
}

// -----

// An argument is known at run time only, so no tile size can depend on it.

tile.kernel @k(%n: i32) grid ["1", "1", "1"] {
  // expected-error@+1 {{names 'n', which is no parameter of kernel @k}}
  %0 = tile.param n : i32
  tile.return
}

// -----

tile.kernel @k() params [B = 8 in [8]] grid ["1", "1", "1"] {
  // expected-error@+1 {{expression 'B +', position 3: expected an integer, a name or '(', found the end}}
  %0 = tile.param "B +" : i32
  tile.return
}

// -----

// The same in the generic form, where the extent is just a string.

tile.kernel @k() grid ["1", "1", "1"] {
  // expected-error@+1 {{expression '1 +', position 3: expected an integer, a name or '(', found the end}}
  %0 = "tile.param"() {value = "1 +"} : () -> i32
  tile.return
}

// -----

tile.kernel @k() grid ["1", "1", "1"] {
  // expected-error@+1 {{expected a value that fits 'i32', got 4294967296}}
  %0 = tile.param 4294967296 : i32
  tile.return
}

// -----

tile.kernel @k() grid ["1", "1", "1"] {
  // expected-error@+1 {{expected a value that fits 'i1', got 2}}
  %0 = tile.param 2 : i1
  tile.return
}

// -----

tile.kernel @k(%n: i32) grid ["1", "1", "1"] {
  // expected-error@+1 {{expected a positive divisor, got 0}}
  %0 = tile.assume_divisible %n by 0 : i32
  tile.return
}

// -----

tile.kernel @k(%f: f32) grid ["1", "1", "1"] {
  // expected-error@+1 {{operand #0 must be 32-bit signless integer or 64-bit signless integer or Address of global memory that holds values of one type, but got 'f32'}}
  %0 = tile.assume_divisible %f by 2 : f32
  tile.return
}

// -----

// expected-error@+1 {{names 'Y', which is no type parameter of kernel @k}}
tile.kernel @k(%x: !tile.ptr<!tile.element<Y>>) types [X = f16 in [f16]] grid ["1", "1", "1"] {
  tile.return
}

// -----

tile.kernel @k() params [B = 8 in [8]] grid ["1", "1", "1"] {
  // expected-error@+1 {{names 'C', which is no parameter of kernel @k}}
  %0 = tile.iota : tensor<?xi32, #tile.shape<C>>
  tile.return
}
