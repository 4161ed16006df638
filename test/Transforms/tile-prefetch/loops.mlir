// Loads that follow from the induction variable are made one iteration ahead.
// RUN: lora-opt %s -tile-prefetch | FileCheck %s

// CHECK-LABEL: tile.kernel @copy
tile.kernel @copy(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32) grid ["1", "1", "1"] {
  // CHECK-DAG: %[[FROM:.*]] = arith.constant 0 : i32
  // CHECK-DAG: %[[STEP:.*]] = arith.constant 64 : i32
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %X = tile.view %x sizes [%n] strides [1] : !tile.ptr<f32> -> !tile.view<?xf32>
  %Y = tile.view %y sizes [%n] strides [1] : !tile.ptr<f32> -> !tile.view<?xf32>
  // CHECK:      %[[FIRST:.*]] = tile.load %{{.*}}[%[[FROM]]]
  // CHECK-NEXT: scf.for %[[I:.*]] = %[[FROM]] to %n step %[[STEP]] iter_args(%[[TILE:.*]] = %[[FIRST]])
  scf.for %i = %c0 to %n step %c64 : i32 {
    // CHECK-NEXT: %[[AHEAD:.*]] = arith.addi %[[I]], %[[STEP]]
    // CHECK-NEXT: %[[NEXT:.*]] = tile.load %{{.*}}[%[[AHEAD]]]
    // CHECK-NEXT: tile.store %[[TILE]], %{{.*}}[%[[I]]]
    // CHECK-NEXT: scf.yield %[[NEXT]]
    %tile = tile.load %X[%i] : !tile.view<?xf32> -> tensor<64xf32>
    tile.store %tile, %Y[%i] : tensor<64xf32>, !tile.view<?xf32>
  }
  tile.return
}

// Those that are the same in each iteration are made before the loop.
// CHECK-LABEL: tile.kernel @invariant
tile.kernel @invariant(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32) grid ["1", "1", "1"] {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %X = tile.view %x sizes [%n] strides [1] : !tile.ptr<f32> -> !tile.view<?xf32>
  %Y = tile.view %y sizes [%n] strides [1] : !tile.ptr<f32> -> !tile.view<?xf32>
  // CHECK:      %[[TILE:.*]] = tile.load
  // CHECK-NEXT: scf.for
  // CHECK-NEXT: tile.store %[[TILE]]
  scf.for %i = %c0 to %n step %c64 : i32 {
    %tile = tile.load %X[%c0] : !tile.view<?xf32> -> tensor<64xf32>
    tile.store %tile, %Y[%i] : tensor<64xf32>, !tile.view<?xf32>
  }
  tile.return
}
