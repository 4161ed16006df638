// RUN: lora-opt %s -tile-schedule -verify-diagnostics -split-input-file

tile.kernel @k(%x: !tile.ptr<f16>, %n: i32) grid ["1", "1", "1"]
    config {WARPS = 4 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  %sum, %all = tile.sum %k below %n step 32 -> tensor<16x16xf32> {
    %a = tile.load %X[%c0, %k] : !tile.view<?x?xf16> -> tensor<16x32xf16>
    %b = tile.load %X[%k, %c0] : !tile.view<?x?xf16> -> tensor<32x16xf16>
    // expected-error@+1 {{product of 16 x 32 by 32 x 16: expected a power of two of at least 32 columns for 4 warps, got 16}}
    %product = tile.dot %a, %b : tensor<16x32xf16>, tensor<32x16xf16> -> tensor<16x16xf32>
    tile.yield %product : tensor<16x16xf32>
  }
  tile.return
}

// -----

tile.kernel @k(%x: !tile.ptr<f16>, %n: i32) grid ["1", "1", "1"]
    config {WARPS = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  %sum, %all = tile.sum %k below %n step 32 -> tensor<8x32xf32> {
    %a = tile.load %X[%c0, %k] : !tile.view<?x?xf16> -> tensor<8x32xf16>
    %b = tile.load %X[%k, %c0] : !tile.view<?x?xf16> -> tensor<32x32xf16>
    // expected-error@+1 {{product of 8 x 32 by 32 x 32: expected a power of two of at least 16 rows, got 8}}
    %product = tile.dot %a, %b : tensor<8x32xf16>, tensor<32x32xf16> -> tensor<8x32xf32>
    tile.yield %product : tensor<8x32xf32>
  }
  tile.return
}

// -----

tile.kernel @k(%x: !tile.ptr<f16>, %n: i32) grid ["1", "1", "1"]
    config {WARPS = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  %sum, %all = tile.sum %k below %n step 8 -> tensor<16x32xf32> {
    %a = tile.load %X[%c0, %k] : !tile.view<?x?xf16> -> tensor<16x8xf16>
    %b = tile.load %X[%k, %c0] : !tile.view<?x?xf16> -> tensor<8x32xf16>
    // expected-error@+1 {{product of 16 x 8 by 8 x 32: expected a power of two of at least 16 elements along k, got 8}}
    %product = tile.dot %a, %b : tensor<16x8xf16>, tensor<8x32xf16> -> tensor<16x32xf32>
    tile.yield %product : tensor<16x32xf32>
  }
  tile.return
}

// -----

tile.kernel @k(%x: !tile.ptr<f16>, %n: i32) grid ["1", "1", "1"]
    config {WARPS = 2 : i64, WARPS_K = 4 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  // expected-error@+1 {{expected WARPS to be a multiple of WARPS_K, got 2 and 4}}
  %sum, %all = tile.sum %k below %n step 32 -> tensor<64x32xf32> {
    %a = tile.load %X[%c0, %k] : !tile.view<?x?xf16> -> tensor<64x32xf16>
    %b = tile.load %X[%k, %c0] : !tile.view<?x?xf16> -> tensor<32x32xf16>
    %product = tile.dot %a, %b : tensor<64x32xf16>, tensor<32x32xf16> -> tensor<64x32xf32>
    tile.yield %product : tensor<64x32xf32>
  }
  tile.return
}

// -----

// Larger steps would cross the leaves of the reduction tree.
tile.kernel @k(%x: !tile.ptr<f16>, %n: i32) grid ["1", "1", "1"]
    config {WARPS = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  // expected-error@+1 {{expected a step that divides 128, got 256}}
  %sum, %all = tile.sum %k below %n step 256 -> tensor<16x32xf32> {
    %a = tile.load %X[%c0, %k] : !tile.view<?x?xf16> -> tensor<16x32xf16>
    %b = tile.load %X[%k, %c0] : !tile.view<?x?xf16> -> tensor<32x32xf16>
    %product = tile.dot %a, %b : tensor<16x32xf16>, tensor<32x32xf16> -> tensor<16x32xf32>
    tile.yield %product : tensor<16x32xf32>
  }
  tile.return
}

// -----

// expected-error@+1 {{expected a specialised kernel: run tile-specialize first}}
tile.kernel @k(%n: i32) params [K = 32 in [32]] grid ["1", "1", "1"] {
  %sum, %all = tile.sum %k below %n step K -> tensor<16xf32> {
    %one = arith.constant dense<1.0> : tensor<16xf32>
    tile.yield %one : tensor<16xf32>
  }
  tile.return
}
