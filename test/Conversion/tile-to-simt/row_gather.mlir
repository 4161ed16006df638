// Each row begins at its own index times the stride, in 64 bits, and is checked by it.
// RUN: lora-opt %s -tile-simplify -tile-schedule -tile-assign-layouts -cse -tile-to-simt -canonicalize -cse \
// RUN:   | FileCheck %s

// CHECK-LABEL: gpu.func @gather
// CHECK-SAME:  (%{{.*}}: !llvm.ptr<1>, %{{.*}}: !llvm.ptr<1>, %{{.*}}: !llvm.ptr<1>, %[[N:.*]]: i32, %[[STRIDE:.*]]: i64)
tile.kernel @gather(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %indices: !tile.ptr<i32>, %n: i32,
                    %stride: i64) grid ["1", "1", "1"] config {WARPS = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %I = tile.view %indices sizes [%n] strides [1] : !tile.ptr<i32> -> !tile.view<?xi32>
  // CHECK:      %[[ROW:.*]] = simt.load %{{.*}} {hint = 1 : i32} : !llvm.ptr<1> -> i32
  %rows = tile.load %I[%c0] {in_bounds = array<i1: true>} : !tile.view<?xi32> -> tensor<1xi32>
  %X = tile.view %x sizes [%n, %n] strides [%stride, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32>
  // CHECK-DAG:  %[[SIZE:.*]] = arith.maxsi %[[N]],
  // CHECK-DAG:  %[[INSIDE:.*]] = arith.cmpi ult, %[[ROW]], %[[SIZE]]
  // CHECK-DAG:  %[[BYTES:.*]] = arith.muli %[[STRIDE]], %{{.*}} : i64
  // CHECK-DAG:  %[[WIDE:.*]] = arith.extsi %[[ROW]] : i32 to i64
  // CHECK-DAG:  %[[OFFSET:.*]] = arith.muli %[[WIDE]], %[[BYTES]] : i64
  // CHECK:      %[[ADDRESS:.*]] = llvm.getelementptr %{{.*}}[%[[OFFSET]]]
  // CHECK:      simt.load %[[ADDRESS]] if %[[INSIDE]]
  %tile = tile.gather %X[%rows, %c0] {in_bounds = array<i1: false, true>} : !tile.view<?x?xf32>, tensor<1xi32> -> tensor<1x32xf32>
  %Y = tile.view %y sizes [%n, %n] strides [%stride, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32>
  tile.store %tile, %Y[%c0, %c0] : tensor<1x32xf32>, !tile.view<?x?xf32>
  tile.return
}
