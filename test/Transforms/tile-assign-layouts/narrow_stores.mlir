// Rows that are aligned to two bytes are read and written by neighbouring threads, element by
// element, and the product is converted once; rows that are aligned to eight bytes stay as they are.
// RUN: lora-opt %s -tile-schedule -tile-assign-layouts | FileCheck %s

// CHECK-LABEL: tile.kernel @odd_rows
tile.kernel @odd_rows(%x: !tile.ptr<f16>, %y: !tile.ptr<f16>, %n: i32) grid ["1", "1", "1"]
    config {WARPS = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  %Y = tile.view %y sizes [%n, %n] strides [65, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  %a = tile.load %X[%c0, %c0] : !tile.view<?x?xf16> -> tensor<16x32xf16>
  %b = tile.load %X[%c0, %c0] : !tile.view<?x?xf16> -> tensor<32x32xf16>
  // CHECK: tile.convert_layout {{.*}} -> tensor<16x32xf32, #tile.layout<register = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0]], lane = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = []>>
  // CHECK-NOT: tile.convert_layout
  %product = tile.dot %a, %b : tensor<16x32xf16>, tensor<32x32xf16> -> tensor<16x32xf32>
  // CHECK: tile.load {{.*}} {alignment = 2 : i64} {{.*}} -> tensor<16x32xf16, #tile.layout<register = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0]], lane = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = []>>
  %old = tile.load %Y[%c0, %c0] {alignment = 2} : !tile.view<?x?xf16> -> tensor<16x32xf16>
  %wide = arith.extf %old : tensor<16x32xf16> to tensor<16x32xf32>
  %sum = arith.addf %wide, %product : tensor<16x32xf32>
  %new = arith.truncf %sum : tensor<16x32xf32> to tensor<16x32xf16>
  // CHECK-NOT: tile.convert_layout
  // CHECK: tile.store {{.*}} : tensor<16x32xf16, #tile.layout<register = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0]], lane = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = []>>, !tile.view<?x?xf16>
  tile.store %new, %Y[%c0, %c0] {alignment = 2} : tensor<16x32xf16>, !tile.view<?x?xf16>
  tile.return
}

// CHECK-LABEL: tile.kernel @aligned_rows
tile.kernel @aligned_rows(%x: !tile.ptr<f16>, %y: !tile.ptr<f16>, %n: i32) grid ["1", "1", "1"]
    config {WARPS = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  %Y = tile.view %y sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  %a = tile.load %X[%c0, %c0] : !tile.view<?x?xf16> -> tensor<16x32xf16>
  %b = tile.load %X[%c0, %c0] : !tile.view<?x?xf16> -> tensor<32x32xf16>
  %product = tile.dot %a, %b : tensor<16x32xf16>, tensor<32x32xf16> -> tensor<16x32xf32>
  %new = arith.truncf %product : tensor<16x32xf32> to tensor<16x32xf16>
  // CHECK-NOT: tile.convert_layout
  // CHECK: tile.return
  tile.store %new, %Y[%c0, %c0] {alignment = 8} : tensor<16x32xf16>, !tile.view<?x?xf16>
  tile.return
}
