// RUN: lora-opt %s -verify-diagnostics -split-input-file

// expected-error@+1 {{expected a grid of three expressions, got 2}}
tile.kernel @k() grid ["1", "1"] {
  tile.return
}

// -----

// expected-error@+1 {{'grid' clause "m" names 'm', which is no parameter or integer argument of the kernel}}
tile.kernel @k(%n: i32) grid ["m", "1", "1"] {
  tile.return
}

// -----

// A launch is not a function of an address.

// expected-error@+1 {{'grid' clause "x" names 'x', which is no parameter or integer argument of the kernel}}
tile.kernel @k(%x: !tile.ptr<f16>) grid ["x", "1", "1"] {
  tile.return
}

// -----

// expected-error@+1 {{'grid' clause: expression 'n +', position 3: expected an integer, a name or '(', found the end}}
tile.kernel @k(%n: i32) grid ["n +", "1", "1"] {
  tile.return
}

// -----

// A constraint is about the parameters alone.

// expected-error@+1 {{'where' clause "n > B" names 'n', which is no parameter of the kernel}}
tile.kernel @k(%n: i32) params [B = 1 in [1]] where ["n > B"] grid ["1", "1", "1"] {
  tile.return
}

// -----

// expected-error@+1 {{'assuming' clause "f % 2 == 0" names 'f', which is no parameter or integer argument of the kernel}}
tile.kernel @k(%f: f32) assuming ["f % 2 == 0"] grid ["1", "1", "1"] {
  tile.return
}

// -----

// expected-error@+1 {{declares 'n' twice}}
tile.kernel @k(%n: i32) params [n = 1 in [1]] grid ["1", "1", "1"] {
  tile.return
}

// -----

// expected-error@+1 {{expected argument 'x' to be a pointer, i32, i64 or f32, got 'tensor<16xf32>'}}
tile.kernel @k(%x: tensor<16xf32>) grid ["1", "1", "1"] {
  tile.return
}

// -----

// expected-error@+1 {{expected argument 'x' to be a pointer, i32, i64 or f32, got '!tile.view<?xf32>'}}
tile.kernel @k(%x: !tile.view<?xf32>) grid ["1", "1", "1"] {
  tile.return
}

// -----

// expected-error@+1 {{expected 1 argument names, got 0}}
"tile.kernel"() ({
^bb0(%n: i32):
  "tile.return"() : () -> ()
}) {sym_name = "k", arg_names = [], type_params = [], params = [], constraints = [],
    assumptions = [], grid = ["1", "1", "1"]} : () -> ()

// -----

// expected-error@+1 {{expected the body to end with tile.return}}
tile.kernel @k(%n: i32) grid ["1", "1", "1"] {
  llvm.unreachable
}

// -----

// expected-error@+1 {{'tile.return' op expects parent op 'tile.kernel'}}
tile.return

// -----

// What a configuration binds is known to the grid; nothing else is.

// expected-error@+1 {{'grid' clause "BLOCK_N" names 'BLOCK_N'}}
tile.kernel @k() grid ["BLOCK_N", "1", "1"] config {BLOCK_M = 16 : i64} {
  tile.return
}

// -----

// expected-error @+1 {{'awaits' clause names 'n', which is no pointer argument}}
tile.kernel @awaits_a_number(%x: !tile.ptr<f32>, %n: i32) awaits ["n"] grid ["1", "1", "1"] {
  tile.return
}
