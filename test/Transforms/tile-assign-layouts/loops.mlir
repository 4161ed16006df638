// Tiles that a loop carries keep one layout: that of the product that is added to them.
// RUN: lora-opt %s -tile-assign-layouts | FileCheck %s

// CHECK-LABEL: tile.kernel @loop
tile.kernel @loop(%x: !tile.ptr<f16>, %y: !tile.ptr<f32>, %n: i32) grid ["1", "1", "1"]
    config {WARPS = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  %Y = tile.view %y sizes [%n, %n] strides [64, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32>
  %zero = arith.constant dense<0.0> : tensor<16x8xf32>
  // CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<16x8xf32, #[[LAYOUT:tile.layout<register = \[\[0, 1\], \[8, 0\]\], .*>]]>
  // CHECK: scf.for {{.*}} iter_args(%[[SUM:.*]] = %[[ZERO]]) -> (tensor<16x8xf32, #[[LAYOUT]]>)
  %sum = scf.for %k = %c0 to %n step %c32 iter_args(%partial = %zero) -> tensor<16x8xf32> : i32 {
    %a = tile.load %X[%c0, %k] : !tile.view<?x?xf16> -> tensor<16x32xf16>
    %b = tile.load %X[%k, %c0] : !tile.view<?x?xf16> -> tensor<32x8xf16>
    // CHECK: %[[PRODUCT:.*]] = tile.dot %{{.*}}, %{{.*}}, %[[SUM]]
    %product = tile.dot %a, %b, %partial : tensor<16x32xf16>, tensor<32x8xf16> -> tensor<16x8xf32>
    // CHECK: scf.yield %[[PRODUCT]] : tensor<16x8xf32, #[[LAYOUT]]>
    scf.yield %product : tensor<16x8xf32>
  }
  // CHECK: tile.store %{{.*}} : tensor<16x8xf32, #[[LAYOUT]]>
  tile.store %sum, %Y[%c0, %c0] : tensor<16x8xf32>, !tile.view<?x?xf32>
  tile.return
}
