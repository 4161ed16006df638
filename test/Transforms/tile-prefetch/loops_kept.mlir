// Loads stay where they are if the loop may write what they read, or if they need what an iteration
// before has computed.
// RUN: lora-opt %s -tile-prefetch | FileCheck %s

// CHECK-LABEL: tile.kernel @overlapping
tile.kernel @overlapping(%x: !tile.ptr<f32>, %n: i32) grid ["1", "1", "1"] {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %X = tile.view %x sizes [%n] strides [1] : !tile.ptr<f32> -> !tile.view<?xf32>
  // CHECK-NOT:  tile.load
  // CHECK:      scf.for
  // CHECK-NEXT: tile.load
  scf.for %i = %c0 to %n step %c1 : i32 {
    %tile = tile.load %X[%i] : !tile.view<?xf32> -> tensor<64xf32>
    %twice = arith.addf %tile, %tile : tensor<64xf32>
    tile.store %twice, %X[%i] : tensor<64xf32>, !tile.view<?xf32>
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @chained
tile.kernel @chained(%next: !tile.ptr<i32>, %y: !tile.ptr<i32>, %n: i32) grid ["1", "1", "1"] {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %Next = tile.view %next sizes [%n] strides [1] : !tile.ptr<i32> -> !tile.view<?xi32>
  // CHECK-NOT:  tile.load_scalar
  // CHECK:      scf.for
  // CHECK-NEXT: tile.load_scalar
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%at = %c0) -> i32 : i32 {
    %value = tile.load_scalar %Next[%at] : !tile.view<?xi32> -> i32
    scf.yield %value : i32
  }
  tile.return
}

// Beyond the table there are no pointers, and nothing can stand for one that is not loaded.
// CHECK-LABEL: tile.kernel @table
tile.kernel @table(%table: !tile.ptr<!tile.ptr<f32>>, %y: !tile.ptr<f32>, %n: i32) grid ["1", "1", "1"] {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %T = tile.view %table sizes [%n] strides [1] : !tile.ptr<!tile.ptr<f32>> -> !tile.view<?x!tile.ptr<f32>>
  %Y = tile.view %y sizes [%n, %n] strides [64, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32>
  // CHECK-NOT:  tile.load
  // CHECK:      scf.for %{{[a-z0-9]*}} = %{{.*}} to %n step %{{[a-z0-9_]*}} : i32 {
  // CHECK-NEXT: %[[POINTER:.*]] = tile.load_scalar
  // CHECK-NEXT: %[[X:.*]] = tile.view %[[POINTER]]
  // CHECK-NEXT: tile.load %[[X]]
  scf.for %i = %c0 to %n step %c1 : i32 {
    %x = tile.load_scalar %T[%i] : !tile.view<?x!tile.ptr<f32>> -> !tile.ptr<f32>
    %X = tile.view %x sizes [%n] strides [1] : !tile.ptr<f32> -> !tile.view<?xf32>
    %tile = tile.load %X[%c0] : !tile.view<?xf32> -> tensor<64xf32>
    %row = tile.subview %Y[%i] : !tile.view<?x?xf32> -> !tile.view<?xf32>
    tile.store %tile, %row[%c0] : tensor<64xf32>, !tile.view<?xf32>
  }
  tile.return
}
