// An access is checked in the dimensions in which it can leave its view, and in no other.
// RUN: lora-opt %s -tile-simplify -tile-schedule -tile-assign-layouts -cse -tile-to-simt -canonicalize -cse \
// RUN:   | FileCheck %s

// CHECK-LABEL: gpu.func @checked
// CHECK-SAME:  (%{{.*}}: !llvm.ptr<1>, %{{.*}}: !llvm.ptr<1>, %[[ROWS:.*]]: i32, %[[COLUMNS:.*]]: i32)
tile.kernel @checked(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %rows: i32, %columns: i32)
    assuming ["x % 16 == 0", "y % 16 == 0", "columns % 4 == 0"] grid ["1", "1", "1"]
    config {WARPS = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%rows, %columns] strides [64, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32>
  // CHECK-DAG: %[[LEAST_ROWS:.*]] = arith.maxsi %[[ROWS]],
  // CHECK-DAG: %[[ROW_INSIDE:.*]] = arith.cmpi ult, %{{.*}}, %[[LEAST_ROWS]]
  // CHECK-DAG: %[[LEAST_COLUMNS:.*]] = arith.maxsi %[[COLUMNS]],
  // CHECK-DAG: %[[COLUMN_INSIDE:.*]] = arith.cmpi ult, %{{.*}}, %[[LEAST_COLUMNS]]
  // CHECK-DAG: %[[INSIDE:.*]] = arith.andi %[[ROW_INSIDE]], %[[COLUMN_INSIDE]]
  // CHECK:     simt.load %{{.*}} if %[[INSIDE]]
  %tile = tile.load %X[%c0, %c0] : !tile.view<?x?xf32> -> tensor<4x32xf32>
  %Y = tile.view %y sizes [%rows, %columns] strides [64, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32>
  // CHECK:     simt.store %{{.*}}, %{{.*}} if %[[ROW_INSIDE]]
  tile.store %tile, %Y[%c0, %c0] {in_bounds = array<i1: false, true>} : tensor<4x32xf32>, !tile.view<?x?xf32>
  // CHECK:     simt.store %{{[^ ]*}}, %{{[^ ]*}} :
  tile.store %tile, %Y[%c0, %c0] {in_bounds = array<i1: true, true>} : tensor<4x32xf32>, !tile.view<?x?xf32>
  tile.return
}

// A fixed coordinate outside makes the whole access void.
// CHECK-LABEL: gpu.func @fixed
// CHECK-SAME:  (%{{.*}}: !llvm.ptr<1>, %{{.*}}: !llvm.ptr<1>, %[[N:.*]]: i32, %[[I:.*]]: i32)
tile.kernel @fixed(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32, %i: i32) grid ["1", "1", "1"]
    config {WARPS = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32>
  %row = tile.subview %X[%i] : !tile.view<?x?xf32> -> !tile.view<?xf32>
  // CHECK: %[[SIZE:.*]] = arith.maxsi %[[N]],
  // CHECK: %[[INSIDE:.*]] = arith.cmpi ult, %[[I]], %[[SIZE]]
  // CHECK: simt.load %{{.*}} if %[[INSIDE]]
  %tile = tile.load %row[%c0] {in_bounds = array<i1: true>} : !tile.view<?xf32> -> tensor<32xf32>
  %Y = tile.view %y sizes [%n] strides [1] : !tile.ptr<f32> -> !tile.view<?xf32>
  tile.store %tile, %Y[%c0] : tensor<32xf32>, !tile.view<?xf32>
  tile.return
}
