// RUN: lora-opt %s -tile-schedule -verify-diagnostics -split-input-file

module attributes {tile.target = "sm_80"} {
tile.kernel @k(%x: !tile.ptr<f16>, %n: i32) grid ["1", "1", "1"]
    config {WARPS = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  // expected-error@+1 {{a sum that is visible to all of 4 programs across x needs a cluster of them along x: sm_80 has clusters of up to 1}}
  %sum, %all = tile.sum %k below %n step 32 split 4 across x to all -> tensor<16x32xf32> {
    %a = tile.load %X[%c0, %k] : !tile.view<?x?xf16> -> tensor<16x32xf16>
    %b = tile.load %X[%k, %c0] : !tile.view<?x?xf16> -> tensor<32x32xf16>
    %product = tile.dot %a, %b : tensor<16x32xf16>, tensor<32x32xf16> -> tensor<16x32xf32>
    tile.yield %product : tensor<16x32xf32>
  }
  tile.return
}
}

// -----

module attributes {tile.target = "sm_90a"} {
tile.kernel @k(%x: !tile.ptr<f16>, %n: i32) grid ["1", "1", "1"]
    config {WARPS = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  // expected-error@+1 {{a sum that is visible to all of 32 programs across x needs a cluster of them along x: sm_90a has clusters of up to 16}}
  %sum, %all = tile.sum %k below %n step 32 split 32 across x to all -> tensor<16x32xf32> {
    %a = tile.load %X[%c0, %k] : !tile.view<?x?xf16> -> tensor<16x32xf16>
    %b = tile.load %X[%k, %c0] : !tile.view<?x?xf16> -> tensor<32x32xf16>
    %product = tile.dot %a, %b : tensor<16x32xf16>, tensor<32x32xf16> -> tensor<16x32xf32>
    tile.yield %product : tensor<16x32xf32>
  }
  tile.return
}
}

// -----

module attributes {tile.target = "sm_120a"} {
tile.kernel @k(%x: !tile.ptr<f16>, %n: i32) grid ["1", "1", "1"]
    config {WARPS = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  // expected-error@+1 {{a sum that is visible to all of 16 programs across x needs a cluster of them along x: sm_120a has clusters of up to 8}}
  %sum, %all = tile.sum %k below %n step 32 split 16 across x to all -> tensor<16x32xf32> {
    %a = tile.load %X[%c0, %k] : !tile.view<?x?xf16> -> tensor<16x32xf16>
    %b = tile.load %X[%k, %c0] : !tile.view<?x?xf16> -> tensor<32x32xf16>
    %product = tile.dot %a, %b : tensor<16x32xf16>, tensor<32x32xf16> -> tensor<16x32xf32>
    tile.yield %product : tensor<16x32xf32>
  }
  tile.return
}
}

// -----

module attributes {tile.target = "sm_90a"} {
tile.kernel @k(%x: !tile.ptr<f16>, %n: i32) grid ["1", "1", "1"]
    config {WARPS = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  // expected-error@+1 {{a sum that is visible to all of 4 programs across y needs a cluster of them along x: sm_90a has clusters of up to 16}}
  %sum, %all = tile.sum %k below %n step 32 split 4 across y to all -> tensor<16x32xf32> {
    %a = tile.load %X[%c0, %k] : !tile.view<?x?xf16> -> tensor<16x32xf16>
    %b = tile.load %X[%k, %c0] : !tile.view<?x?xf16> -> tensor<32x32xf16>
    %product = tile.dot %a, %b : tensor<16x32xf16>, tensor<32x32xf16> -> tensor<16x32xf32>
    tile.yield %product : tensor<16x32xf32>
  }
  tile.return
}
}
