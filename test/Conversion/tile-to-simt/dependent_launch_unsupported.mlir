// Targets that cannot start a kernel early have no wait either.
// RUN: lora-opt %s -tile-simplify -tile-schedule -tile-assign-layouts -tile-to-simt | FileCheck %s

module attributes {tile.target = "sm_80"} {
// CHECK-LABEL: gpu.func @copy
// CHECK-NOT:   simt.release_dependents
// CHECK-NOT:   simt.await_predecessors
// CHECK:       gpu.return
tile.kernel @copy(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32) awaits ["x"] grid ["1", "1", "1"] {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n] strides [1] : !tile.ptr<f32> -> !tile.view<?xf32>
  %Y = tile.view %y sizes [%n] strides [1] : !tile.ptr<f32> -> !tile.view<?xf32>
  %tile = tile.load %X[%c0] : !tile.view<?xf32> -> tensor<128xf32>
  tile.store %tile, %Y[%c0] : tensor<128xf32>, !tile.view<?xf32>
  tile.return
}
}
