// A pointer that is loaded is aligned to its pointee, or to what is promised of it.
// RUN: lora-opt %s -tile-simplify | FileCheck %s

// CHECK-LABEL: tile.kernel @pointers
tile.kernel @pointers(%table: !tile.ptr<!tile.ptr<f16>>, %n: i32) assuming ["n % 8 == 0"]
    grid ["1", "1", "1"] {
  %c0 = arith.constant 0 : i32
  %T = tile.view %table sizes [%n] strides [1] : !tile.ptr<!tile.ptr<f16>> -> !tile.view<?x!tile.ptr<f16>>
  %x = tile.load_scalar %T[%c0] : !tile.view<?x!tile.ptr<f16>> -> !tile.ptr<f16>
  %X = tile.view %x sizes [%n] strides [1] : !tile.ptr<f16> -> !tile.view<?xf16>
  // CHECK: tile.load %{{.*}} {alignment = 2 : i64
  %0 = tile.load %X[%c0] : !tile.view<?xf16> -> tensor<64xf16>
  %promised = tile.assume_divisible %x by 8 : !tile.ptr<f16>
  %P = tile.view %promised sizes [%n] strides [1] : !tile.ptr<f16> -> !tile.view<?xf16>
  // CHECK: tile.load %{{.*}} {alignment = 8 : i64
  %1 = tile.load %P[%c0] : !tile.view<?xf16> -> tensor<64xf16>
  tile.return
}
