// RUN: lora-opt %s -tile-specialize -verify-diagnostics -split-input-file

// expected-error@+1 {{expected a power of two as a tile size, got "3 * M" = 48}}
tile.kernel @k() params [M = 16 in [16]] grid ["1", "1", "1"] {
  %tile = tile.iota : tensor<?xi32, #tile.shape<"3 * M">>
  tile.return
}

// -----

// expected-error@+1 {{expected a power of two as a tile size, got "M - 16" = 0}}
tile.kernel @k() params [M = 16 in [16]] grid ["1", "1", "1"] {
  %tile = tile.iota : tensor<?xi32, #tile.shape<"M - 16">>
  tile.return
}
