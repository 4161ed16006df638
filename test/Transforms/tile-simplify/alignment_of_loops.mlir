// The induction variables of loops and sums are multiples of their steps.
// RUN: lora-opt %s -tile-simplify | FileCheck %s

// CHECK-LABEL: tile.kernel @loops
tile.kernel @loops(%x: !tile.ptr<f16>, %n: i32)
    assuming ["x % 16 == 0", "n % 8 == 0"] grid ["1", "1", "1"] {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %X = tile.view %x sizes [%n] strides [1] : !tile.ptr<f16> -> !tile.view<?xf16>
  scf.for %i = %c0 to %n step %c4 : i32 {
    // CHECK: tile.load %{{.*}} {alignment = 8 : i64
    %tile = tile.load %X[%i] : !tile.view<?xf16> -> tensor<4xf16>
    tile.store %tile, %X[%i] : tensor<4xf16>, !tile.view<?xf16>
  }
  %sum, %all = tile.sum %k below %n step 32 -> tensor<64xf32> {
    // CHECK: tile.load %{{.*}} {alignment = 16 : i64
    %tile = tile.load %X[%k] : !tile.view<?xf16> -> tensor<64xf16>
    %wide = arith.extf %tile : tensor<64xf16> to tensor<64xf32>
    tile.yield %wide : tensor<64xf32>
  }
  tile.return
}
