// RUN: lora-opt %s -tile-assign-layouts -verify-diagnostics -split-input-file

// expected-error@+1 {{expected a specialised kernel: run tile-specialize first}}
tile.kernel @k() params [K = 32 in [32]] grid ["1", "1", "1"] {
  tile.return
}

// -----

tile.kernel @k(%n: i32) grid ["1", "1", "1"] {
  // expected-error@+1 {{expected a schedule: run tile-schedule first}}
  %sum, %all = tile.sum %k below %n step 32 -> tensor<16xf32> {
    %one = arith.constant dense<1.0> : tensor<16xf32>
    tile.yield %one : tensor<16xf32>
  }
  tile.return
}

// -----

tile.kernel @k(%n: i32) grid ["1", "1", "1"] config {WARPS = 4 : i64} {
  // expected-error@+1 {{expected a schedule for the 4 warps of the kernel, got #tile.schedule<path = direct, stages = 1, warps = [2, 1, 1], split = none>}}
  %sum, %all = tile.sum %k below %n step 32
      schedule #tile.schedule<path = direct, stages = 1, warps = [2, 1, 1], split = none> -> tensor<16xf32> {
    %one = arith.constant dense<1.0> : tensor<16xf32>
    tile.yield %one : tensor<16xf32>
  }
  tile.return
}

// -----

tile.kernel @k(%n: i32) grid ["1", "1", "1"] config {WARPS = 1 : i64} {
  %outer, %v0 = tile.sum %k below %n step 32
      schedule #tile.schedule<path = direct, stages = 1, warps = [1, 1, 1], split = none> -> tensor<16xf32> {
    // expected-error@+1 {{a tile.sum inside of another is not supported}}
    %inner, %v1 = tile.sum %l below %n step 32
        schedule #tile.schedule<path = direct, stages = 1, warps = [1, 1, 1], split = none> -> tensor<16xf32> {
      %one = arith.constant dense<1.0> : tensor<16xf32>
      tile.yield %one : tensor<16xf32>
    }
    tile.yield %inner : tensor<16xf32>
  }
  tile.return
}

// -----

tile.kernel @k(%x: !tile.ptr<i32>, %n: i32) grid ["1", "1", "1"] {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n] strides [1] : !tile.ptr<i32> -> !tile.view<?xi32>
  // expected-error@+1 {{no layout can be given to this tile of type 'tensor<2xi32>'}}
  %tile = arith.constant dense<[1, 2]> : tensor<2xi32>
  tile.store %tile, %X[%c0] : tensor<2xi32>, !tile.view<?xi32>
  tile.return
}

// -----

tile.kernel @k(%x: !tile.ptr<f32>, %n: i32) grid ["1", "1", "1"] config {WARPS = 4 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32>
  %tile = tile.load %X[%c0, %c0] : !tile.view<?x?xf32> -> tensor<16x16xf32>
  // expected-error@+2 {{product of 16 x 16 by 16 x 16: expected a power of two of at least 32 columns for 4 warps, got 16}}
  // expected-error@+1 {{no layout can be given to this tile}}
  %square = tile.dot %tile, %tile : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  tile.store %square, %X[%c0, %c0] : tensor<16x16xf32>, !tile.view<?x?xf32>
  tile.return
}
