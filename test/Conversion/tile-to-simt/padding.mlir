// Outside the view a load gives its padding; zeros need no code.
// RUN: lora-opt %s -tile-simplify -tile-schedule -tile-assign-layouts -cse -tile-to-simt -canonicalize -cse \
// RUN:   | FileCheck %s

// CHECK-LABEL: gpu.func @minus_one
tile.kernel @minus_one(%x: !tile.ptr<i32>, %y: !tile.ptr<i32>, %n: i32) grid ["1", "1", "1"]
    config {WARPS = 1 : i64} {
  // CHECK-DAG:  %[[PADDING:.*]] = arith.constant -1 : i32
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n] strides [1] : !tile.ptr<i32> -> !tile.view<?xi32>
  %Y = tile.view %y sizes [%n] strides [1] : !tile.ptr<i32> -> !tile.view<?xi32>
  // CHECK:      %[[VALUE:.*]] = simt.load %{{.*}} if %[[INSIDE:.*]] {hint
  // CHECK-NEXT: %[[PADDED:.*]] = arith.select %[[INSIDE]], %[[VALUE]], %[[PADDING]] : i32
  // CHECK:      simt.store %[[PADDED]]
  %tile = tile.load %X[%c0] padding -1 : i32 : !tile.view<?xi32> -> tensor<32xi32>
  tile.store %tile, %Y[%c0] : tensor<32xi32>, !tile.view<?xi32>
  tile.return
}

// CHECK-LABEL: gpu.func @zero
tile.kernel @zero(%x: !tile.ptr<i32>, %y: !tile.ptr<i32>, %n: i32) grid ["1", "1", "1"]
    config {WARPS = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n] strides [1] : !tile.ptr<i32> -> !tile.view<?xi32>
  %Y = tile.view %y sizes [%n] strides [1] : !tile.ptr<i32> -> !tile.view<?xi32>
  // CHECK-NOT: arith.select
  %tile = tile.load %X[%c0] : !tile.view<?xi32> -> tensor<32xi32>
  tile.store %tile, %Y[%c0] : tensor<32xi32>, !tile.view<?xi32>
  tile.return
}
