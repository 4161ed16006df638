// Tiles that branches give take the layout of their first use, and so do loads that are made one
// iteration ahead: nothing is converted.
// RUN: lora-opt %s -tile-prefetch -tile-assign-layouts -cse | FileCheck %s

// CHECK-LABEL: tile.kernel @product
tile.kernel @product(%x: !tile.ptr<f16>, %w: !tile.ptr<f16>, %y: !tile.ptr<f32>, %n: i32)
    grid ["1", "1", "1"] config {WARPS = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %c8 = arith.constant 8 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  %W = tile.view %w sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  %Y = tile.view %y sizes [%n, %n] strides [64, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32>
  %a = tile.load %X[%c0, %c0] : !tile.view<?x?xf16> -> tensor<16x16xf16>
  // CHECK-NOT: tile.convert_layout
  // CHECK:     %[[FIRST:.*]] = tile.load %{{.*}} -> tensor<16x8xf16, #[[FRAGMENT:tile.layout<.*>]]>
  // CHECK:     scf.for {{.*}} iter_args(%[[B:.*]] = %[[FIRST]]) -> (tensor<16x8xf16, #[[FRAGMENT]]>)
  // CHECK:     %[[NEXT:.*]] = scf.if %{{.*}} -> (tensor<16x8xf16, #[[FRAGMENT]]>) {
  // CHECK:       tile.load %{{.*}} -> tensor<16x8xf16, #[[FRAGMENT]]>
  // CHECK:     } else {
  // CHECK:       arith.constant dense<0.000000e+00> : tensor<16x8xf16, #[[FRAGMENT]]>
  // CHECK:     }
  // CHECK:     tile.dot %{{.*}}, %[[B]] : tensor<16x16xf16, #{{.*}}>, tensor<16x8xf16, #[[FRAGMENT]]>
  // CHECK:     scf.yield %[[NEXT]]
  // CHECK-NOT: tile.convert_layout
  scf.for %j = %c0 to %n step %c8 : i32 {
    %b = tile.load %W[%c0, %j] : !tile.view<?x?xf16> -> tensor<16x8xf16>
    %product = tile.dot %a, %b : tensor<16x16xf16>, tensor<16x8xf16> -> tensor<16x8xf32>
    tile.store %product, %Y[%c0, %j] : tensor<16x8xf32>, !tile.view<?x?xf32>
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @later_use
tile.kernel @later_use(%x: !tile.ptr<f16>, %y: !tile.ptr<f32>, %n: i32) grid ["1", "1", "1"]
    config {WARPS = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  %Y = tile.view %y sizes [%n, %n] strides [64, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32>
  %is_some = arith.cmpi sgt, %n, %c0 : i32
  // CHECK:     %[[TILE:.*]] = scf.if %{{.*}} -> (tensor<16x16xf16, #[[LHS:tile.layout<.*>]]>) {
  // CHECK:       tile.load %{{.*}} -> tensor<16x16xf16, #[[LHS]]>
  // CHECK:       arith.constant dense<0.000000e+00> : tensor<16x16xf16, #[[LHS]]>
  // CHECK-NOT: tile.convert_layout
  // CHECK:     tile.dot %[[TILE]]
  %a = scf.if %is_some -> tensor<16x16xf16> {
    %loaded = tile.load %X[%c0, %c0] : !tile.view<?x?xf16> -> tensor<16x16xf16>
    scf.yield %loaded : tensor<16x16xf16>
  } else {
    %zeros = arith.constant dense<0.0> : tensor<16x16xf16>
    scf.yield %zeros : tensor<16x16xf16>
  }
  %b = tile.load %X[%c0, %c0] : !tile.view<?x?xf16> -> tensor<16x16xf16>
  %product = tile.dot %a, %b : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
  tile.store %product, %Y[%c0, %c0] : tensor<16x16xf32>, !tile.view<?x?xf32>
  tile.return
}
