// Facts in the source are kept, and others are added to them.
// RUN: lora-opt %s -tile-simplify | FileCheck %s

// CHECK-LABEL: tile.kernel @given
tile.kernel @given(%x: !tile.ptr<f16>, %n: i32) grid ["1", "1", "1"] {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  // CHECK: tile.load %{{.*}} {alignment = 16 : i64, in_bounds = array<i1: true, false>}
  %0 = tile.load %X[%c0, %c0] {alignment = 16, in_bounds = array<i1: true, false>} : !tile.view<?x?xf16> -> tensor<16x64xf16>
  // CHECK: tile.store %{{.*}} accumulate {alignment = 2 : i64, in_bounds = array<i1: false, true>}
  %wide = arith.extf %0 : tensor<16x64xf16> to tensor<16x64xf32>
  tile.store %wide, %X[%c0, %c0] accumulate {in_bounds = array<i1: false, true>} : tensor<16x64xf32>, !tile.view<?x?xf16>
  tile.return
}
