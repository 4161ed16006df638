// RUN: lora-opt %s -tile-specialize -verify-diagnostics -split-input-file

// expected-error@+1 {{kernel @k requires M * N <= 256, got M = 32, N = 16}}
tile.kernel @k() params [M = 32 in [16, 32], N = 16 in [16]] where ["M >= N", "M * N <= 256"]
    grid ["1", "1", "1"] {
  tile.return
}

// -----

// expected-error@+1 {{kernel @k: expression '16 % M == 0': division by zero in '16 % M'}}
tile.kernel @k() params [M = 0 in [0]] where ["16 % M == 0"] grid ["1", "1", "1"] {
  tile.return
}
