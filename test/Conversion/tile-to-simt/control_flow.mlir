// Loops and conditionals carry the registers of their tiles.
// RUN: lora-opt %s -tile-simplify -tile-schedule -tile-assign-layouts -cse -tile-to-simt -canonicalize -cse \
// RUN:   | FileCheck %s

// CHECK-LABEL: gpu.func @loop
tile.kernel @loop(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32) grid ["1", "1", "1"]
    config {WARPS = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32>
  %Y = tile.view %y sizes [%n] strides [1] : !tile.ptr<f32> -> !tile.view<?xf32>
  %zero = arith.constant dense<0.0> : tensor<32xf32>
  // CHECK: scf.for %{{.*}} iter_args({{.*}}) -> (f32, f32, f32, f32) : i32
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%partial = %zero) -> tensor<32xf32> : i32 {
    %row = tile.subview %X[%i] : !tile.view<?x?xf32> -> !tile.view<?xf32>
    %tile = tile.load %row[%c0] : !tile.view<?xf32> -> tensor<32xf32>
    // CHECK-COUNT-4: arith.addf
    %next = arith.addf %partial, %tile : tensor<32xf32>
    // CHECK: scf.yield %{{.*}} : f32, f32, f32, f32
    scf.yield %next : tensor<32xf32>
  }
  %is_empty = arith.cmpi sle, %n, %c0 : i32
  // CHECK: scf.if %{{.*}} {
  scf.if %is_empty {
    tile.store %zero, %Y[%c0] : tensor<32xf32>, !tile.view<?xf32>
  } else {
    tile.store %sum, %Y[%c0] : tensor<32xf32>, !tile.view<?xf32>
  }
  tile.return
}
