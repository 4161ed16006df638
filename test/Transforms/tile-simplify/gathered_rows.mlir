// Indexed rows may lie anywhere: their dimension is checked, and vectors run along the other one.
// RUN: lora-opt %s -tile-simplify | FileCheck %s

// CHECK-LABEL: tile.kernel @rows
tile.kernel @rows(%x: !tile.ptr<f16>, %n: i32, %stride: i64)
    assuming ["x % 16 == 0", "n % 8 == 0", "stride % 8 == 0"] grid ["1", "1", "1"] {
  %c0 = arith.constant 0 : i32
  %rows = tile.iota : tensor<16xi32>
  %X = tile.view %x sizes [%n, %n] strides [%stride, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  // CHECK: tile.gather %{{.*}} {alignment = 16 : i64, in_bounds = array<i1: false, false>}
  %0 = tile.gather %X[%rows, %c0] : !tile.view<?x?xf16>, tensor<16xi32> -> tensor<16x64xf16>
  // CHECK: tile.scatter %{{.*}} {alignment = 16 : i64, in_bounds = array<i1: false, false>}
  tile.scatter %0, %X[%rows, %c0] : tensor<16x64xf16>, !tile.view<?x?xf16>, tensor<16xi32>
  %T = tile.transpose %X : !tile.view<?x?xf16>
  // CHECK: tile.gather %{{.*}} {alignment = 2 : i64, in_bounds = array<i1: false, false>}
  %1 = tile.gather %T[%rows, %c0] : !tile.view<?x?xf16>, tensor<16xi32> -> tensor<16x64xf16>
  tile.return
}
