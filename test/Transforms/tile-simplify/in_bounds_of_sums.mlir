// A tile that a sum moves over a dimension in steps that divide its size cannot leave it.
// RUN: lora-opt %s -tile-simplify | FileCheck %s

// CHECK-LABEL: tile.kernel @sums
tile.kernel @sums(%x: !tile.ptr<f16>, %n: i32, %m: i32) assuming ["n % 32 == 0"] grid ["1", "1", "1"] {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%m, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  %0, %v0 = tile.sum %k below %n step 32 -> tensor<16x32xf32> {
    // CHECK: tile.load %{{.*}} in_bounds = array<i1: false, true>
    %tile = tile.load %X[%c0, %k] : !tile.view<?x?xf16> -> tensor<16x32xf16>
    %wide = arith.extf %tile : tensor<16x32xf16> to tensor<16x32xf32>
    tile.yield %wide : tensor<16x32xf32>
  }
  %rows = tile.iota : tensor<16xi32>
  %1, %v1 = tile.sum %k below %n step 32 -> tensor<16x32xf32> {
    // CHECK: tile.gather %{{.*}} in_bounds = array<i1: false, true>
    %tile = tile.gather %X[%rows, %k] : !tile.view<?x?xf16>, tensor<16xi32> -> tensor<16x32xf16>
    %wide = arith.extf %tile : tensor<16x32xf16> to tensor<16x32xf32>
    tile.yield %wide : tensor<16x32xf32>
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @not_proved
tile.kernel @not_proved(%x: !tile.ptr<f16>, %n: i32, %m: i32) assuming ["n % 32 == 0"] grid ["1", "1", "1"] {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%m, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  // The step does not divide the size.
  %0, %v0 = tile.sum %k below %n step 64 -> tensor<16x64xf32> {
    // CHECK: tile.load %{{.*}} in_bounds = array<i1: false, false>
    %tile = tile.load %X[%c0, %k] : !tile.view<?x?xf16> -> tensor<16x64xf16>
    %wide = arith.extf %tile : tensor<16x64xf16> to tensor<16x64xf32>
    tile.yield %wide : tensor<16x64xf32>
  }
  // The tile is larger than the step.
  %1, %v1 = tile.sum %k below %n step 32 -> tensor<16x64xf32> {
    // CHECK: tile.load %{{.*}} in_bounds = array<i1: false, false>
    %tile = tile.load %X[%c0, %k] : !tile.view<?x?xf16> -> tensor<16x64xf16>
    %wide = arith.extf %tile : tensor<16x64xf16> to tensor<16x64xf32>
    tile.yield %wide : tensor<16x64xf32>
  }
  // The sum runs over another size.
  %2, %v2 = tile.sum %k below %m step 32 -> tensor<16x32xf32> {
    // CHECK: tile.load %{{.*}} in_bounds = array<i1: false, false>
    %tile = tile.load %X[%c0, %k] : !tile.view<?x?xf16> -> tensor<16x32xf16>
    %wide = arith.extf %tile : tensor<16x32xf16> to tensor<16x32xf32>
    tile.yield %wide : tensor<16x32xf32>
  }
  tile.return
}
