// Loads that follow from the induction variable are made one iteration ahead, if there is one.
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
    // CHECK-NEXT: %[[HAS_NEXT:.*]] = arith.cmpi slt, %[[AHEAD]], %n
    // CHECK-NEXT: %[[NEXT:.*]] = scf.if %[[HAS_NEXT]] -> (tensor<64xf32>) {
    // CHECK-NEXT:   %[[LOADED:.*]] = tile.load %{{.*}}[%[[AHEAD]]]
    // CHECK-NEXT:   scf.yield %[[LOADED]]
    // CHECK-NEXT: } else {
    // CHECK-NEXT:   %[[ZEROS:.*]] = arith.constant dense<0.000000e+00> : tensor<64xf32>
    // CHECK-NEXT:   scf.yield %[[ZEROS]]
    // CHECK-NEXT: }
    // CHECK-NEXT: tile.store %[[TILE]], %{{.*}}[%[[I]]]
    // CHECK-NEXT: scf.yield %[[NEXT]]
    %tile = tile.load %X[%i] : !tile.view<?xf32> -> tensor<64xf32>
    tile.store %tile, %Y[%i] : tensor<64xf32>, !tile.view<?xf32>
  }
  tile.return
}

// All loads of the next iteration share a condition, with what they need.
// CHECK-LABEL: tile.kernel @gathered
tile.kernel @gathered(%x: !tile.ptr<f16>, %rows: !tile.ptr<i32>, %y: !tile.ptr<f16>, %n: i32)
    grid ["1", "1", "1"] {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  %R = tile.view %rows sizes [%n] strides [1] : !tile.ptr<i32> -> !tile.view<?xi32>
  %Y = tile.view %y sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  // CHECK:      %[[ROWS:.*]] = tile.load
  // CHECK:      %[[FIRST:.*]] = tile.gather %{{.*}}[%[[ROWS]], %{{.*}}]
  // CHECK:      scf.for {{.*}} iter_args(%[[AT:.*]] = %[[ROWS]], %[[TILE:.*]] = %[[FIRST]])
  scf.for %i = %c0 to %n step %c16 : i32 {
    // CHECK:      %[[NEXT:.*]]:2 = scf.if %{{.*}} -> (tensor<16xi32>, tensor<16x32xf16>) {
    // CHECK-NEXT:   %[[NEXT_ROWS:.*]] = tile.load
    // CHECK-NEXT:   %[[NEXT_TILE:.*]] = tile.gather %{{.*}}[%[[NEXT_ROWS]], %{{.*}}]
    // CHECK-NEXT:   scf.yield %[[NEXT_ROWS]], %[[NEXT_TILE]]
    // CHECK-NEXT: } else {
    // CHECK:        scf.yield %{{.*}}, %{{.*}} : tensor<16xi32>, tensor<16x32xf16>
    // CHECK-NEXT: }
    // CHECK-NOT:  tile.gather
    // CHECK:      tile.scatter %[[TILE]], %{{.*}}[%[[AT]],
    // CHECK-NEXT: scf.yield %[[NEXT]]#0, %[[NEXT]]#1
    %at = tile.load %R[%i] : !tile.view<?xi32> -> tensor<16xi32>
    %tile = tile.gather %X[%at, %c0] : !tile.view<?x?xf16>, tensor<16xi32> -> tensor<16x32xf16>
    tile.scatter %tile, %Y[%at, %c0] : tensor<16x32xf16>, !tile.view<?x?xf16>, tensor<16xi32>
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
