// What `assuming` says of the base, the strides and the sizes bounds the alignment.
// RUN: lora-opt %s -tile-simplify | FileCheck %s

// CHECK-LABEL: tile.kernel @all_known
tile.kernel @all_known(%x: !tile.ptr<f16>, %n: i32, %stride: i64)
    assuming ["x % 16 == 0", "stride % 8 == 0", "n % 8 == 0"] grid ["1", "1", "1"] {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n, %n] strides [%stride, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  // CHECK: tile.load %{{.*}} {alignment = 16 : i64, in_bounds = array<i1: false, false>}
  %tile = tile.load %X[%c0, %c0] : !tile.view<?x?xf16> -> tensor<16x64xf16>
  tile.store %tile, %X[%c0, %c0] : tensor<16x64xf16>, !tile.view<?x?xf16>
  tile.return
}

// CHECK-LABEL: tile.kernel @unknown_base
tile.kernel @unknown_base(%x: !tile.ptr<f16>, %n: i32, %stride: i64)
    assuming ["stride % 8 == 0", "n % 8 == 0"] grid ["1", "1", "1"] {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n, %n] strides [%stride, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  // CHECK: tile.load %{{.*}} {alignment = 2 : i64
  %tile = tile.load %X[%c0, %c0] : !tile.view<?x?xf16> -> tensor<16x64xf16>
  tile.store %tile, %X[%c0, %c0] : tensor<16x64xf16>, !tile.view<?x?xf16>
  tile.return
}

// CHECK-LABEL: tile.kernel @odd_stride
tile.kernel @odd_stride(%x: !tile.ptr<f16>, %n: i32, %stride: i64)
    assuming ["x % 16 == 0", "stride % 2 == 0", "n % 8 == 0"] grid ["1", "1", "1"] {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n, %n] strides [%stride, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  // CHECK: tile.load %{{.*}} {alignment = 4 : i64
  %tile = tile.load %X[%c0, %c0] : !tile.view<?x?xf16> -> tensor<16x64xf16>
  tile.store %tile, %X[%c0, %c0] : tensor<16x64xf16>, !tile.view<?x?xf16>
  tile.return
}

// A vector that begins inside must not end outside.
// CHECK-LABEL: tile.kernel @odd_size
tile.kernel @odd_size(%x: !tile.ptr<f16>, %n: i32, %stride: i64)
    assuming ["x % 16 == 0", "stride % 8 == 0", "n % 4 == 0"] grid ["1", "1", "1"] {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n, %n] strides [%stride, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  // CHECK: tile.load %{{.*}} {alignment = 8 : i64
  %tile = tile.load %X[%c0, %c0] : !tile.view<?x?xf16> -> tensor<16x64xf16>
  tile.store %tile, %X[%c0, %c0] : tensor<16x64xf16>, !tile.view<?x?xf16>
  tile.return
}

// CHECK-LABEL: tile.kernel @no_contiguous_dimension
tile.kernel @no_contiguous_dimension(%x: !tile.ptr<f16>, %n: i32, %stride: i64)
    assuming ["x % 16 == 0", "stride % 8 == 0", "n % 8 == 0"] grid ["1", "1", "1"] {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n, %n] strides [%stride, %stride] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  // CHECK: tile.load %{{.*}} {alignment = 2 : i64
  %tile = tile.load %X[%c0, %c0] : !tile.view<?x?xf16> -> tensor<16x64xf16>
  tile.store %tile, %X[%c0, %c0] : tensor<16x64xf16>, !tile.view<?x?xf16>
  tile.return
}
