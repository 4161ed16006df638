// RUN: lora-opt %s -verify-diagnostics -split-input-file

tile.kernel @k() params [M = 16 in [16]] grid ["1", "1", "1"] {
  // expected-error@+1 {{expected 1 extents in #tile.shape, got 2}}
  %0 = tile.iota : tensor<?xi32, #tile.shape<M, M>>
  tile.return
}

// -----

tile.kernel @k() grid ["1", "1", "1"] {
  // expected-error@+1 {{expected a tensor size of 16 for extent 16 : i64, got ?}}
  %0 = tile.iota : tensor<?xi32, #tile.shape<16>>
  tile.return
}

// -----

tile.kernel @k() params [M = 16 in [16]] grid ["1", "1", "1"] {
  // expected-error@+1 {{expected a tensor size of ? for extent "M", got 16}}
  %0 = tile.iota : tensor<16xi32, #tile.shape<M>>
  tile.return
}

// -----

// expected-error@+1 {{expected a vector of 1 numbers, got 2}}
#layout = #tile.layout<register = [[1], [0, 2]], lane = [[1], [2], [4], [8], [16]], warp = []>

// -----

// expected-error@+1 {{expected five lane vectors, got 4}}
#layout = #tile.layout<register = [], lane = [[1], [2], [4], [8]], warp = []>

// -----

// expected-error@+1 {{expected zero or a power of two in a layout vector, got 3}}
#layout = #tile.layout<register = [[3]], lane = [[1], [2], [4], [8], [16]], warp = []>

// -----

#layout = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = []>
tile.kernel @k() grid ["1", "1", "1"] {
  // expected-error@+1 {{expected a layout that covers dimension 0 of size 64, got one that covers 32}}
  %0 = tile.iota : tensor<64xi32, #layout>
  tile.return
}

// -----

#layout = #tile.layout<register = [[16]], lane = [[1], [2], [4], [8], [16]], warp = []>
tile.kernel @k() grid ["1", "1", "1"] {
  // expected-error@+1 {{expected a layout with each power of two once in dimension 0, got 16 twice}}
  %0 = tile.iota : tensor<32xi32, #layout>
  tile.return
}

// -----

#layout = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = []>
tile.kernel @k() grid ["1", "1", "1"] {
  // expected-error@+1 {{expected a layout of rank 2, got 1}}
  %0 = arith.constant dense<0.0> : tensor<32x1xf32, #layout>
  tile.return
}

// -----

// expected-error@+1 {{expected a power of two of warps in each dimension, got 3}}
#schedule = #tile.schedule<path = direct, stages = 1, warps = [3, 1, 1], split = none>

// -----

// expected-error@+1 {{expected at least 2 stages with path shared, got 1}}
#schedule = #tile.schedule<path = shared, stages = 1, warps = [1, 1, 1], split = none>

// -----

// expected-error@+1 {{expected at least 1 stages with path direct, got 0}}
#schedule = #tile.schedule<path = direct, stages = 0, warps = [1, 1, 1], split = none>
