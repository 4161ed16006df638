// What the kernel writes is read in order with the writes, and so is what a loaded pointer may be.
// RUN: lora-opt %s -tile-simplify -tile-schedule -tile-assign-layouts -cse -tile-to-simt -canonicalize -cse \
// RUN:   | FileCheck %s

// CHECK-LABEL: gpu.func @in_place
tile.kernel @in_place(%x: !tile.ptr<f32>, %n: i32) grid ["1", "1", "1"] config {WARPS = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n] strides [1] : !tile.ptr<f32> -> !tile.view<?xf32>
  // CHECK: simt.load %{{.*}} if %{{.*}} : !llvm.ptr<1> -> f32
  %tile = tile.load %X[%c0] : !tile.view<?xf32> -> tensor<32xf32>
  tile.store %tile, %X[%c0] : tensor<32xf32>, !tile.view<?xf32>
  tile.return
}

// CHECK-LABEL: gpu.func @table
tile.kernel @table(%table: !tile.ptr<!tile.ptr<f32>>, %y: !tile.ptr<f32>, %n: i32)
    grid ["1", "1", "1"] config {WARPS = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %T = tile.view %table sizes [%n] strides [1] : !tile.ptr<!tile.ptr<f32>> -> !tile.view<?x!tile.ptr<f32>>
  // CHECK: simt.load %{{.*}} if %{{.*}} {hint = 1 : i32} : !llvm.ptr<1> -> !llvm.ptr<1>
  // CHECK: simt.load %{{.*}} if %{{.*}} {hint = 1 : i32} : !llvm.ptr<1> -> !llvm.ptr<1>
  %from = tile.load_scalar %T[%c0] : !tile.view<?x!tile.ptr<f32>> -> !tile.ptr<f32>
  %to = tile.load_scalar %T[%c1] : !tile.view<?x!tile.ptr<f32>> -> !tile.ptr<f32>
  %X = tile.view %from sizes [%n] strides [1] : !tile.ptr<f32> -> !tile.view<?xf32>
  %Y = tile.view %to sizes [%n] strides [1] : !tile.ptr<f32> -> !tile.view<?xf32>
  // CHECK: simt.load %{{.*}} if %{{.*}} : !llvm.ptr<1> -> f32
  %tile = tile.load %X[%c0] : !tile.view<?xf32> -> tensor<32xf32>
  tile.store %tile, %Y[%c0] : tensor<32xf32>, !tile.view<?xf32>
  tile.return
}
