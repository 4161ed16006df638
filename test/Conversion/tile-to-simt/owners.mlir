// Of the threads that hold the same element one stores it.
// RUN: lora-opt %s -tile-simplify -tile-schedule -tile-assign-layouts -cse -tile-to-simt -canonicalize -cse \
// RUN:   | FileCheck %s

// CHECK-LABEL: gpu.func @few
tile.kernel @few(%x: !tile.ptr<f32>, %n: i32, %f: f32) grid ["1", "1", "1"] config {WARPS = 2 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n] strides [1] : !tile.ptr<f32> -> !tile.view<?xf32>
  %tile = tile.splat %f : f32 -> tensor<8xf32>
  // Two lanes hold four elements each, and 62 others the same.
  // CHECK-DAG: %[[THREAD:.*]] = nvvm.read.ptx.sreg.tid.x
  // CHECK-DAG: %[[OTHERS:.*]] = arith.constant 62 : i32
  // CHECK-DAG: %[[NUMBER:.*]] = arith.andi %[[THREAD]], %[[OTHERS]]
  // CHECK-DAG: %[[OWNER:.*]] = arith.cmpi eq, %[[NUMBER]],
  // CHECK:     %[[STORES:.*]] = arith.andi %[[OWNER]],
  // CHECK:     simt.store %{{.*}}, %{{.*}} if %[[STORES]]
  tile.store %tile, %X[%c0] : tensor<8xf32>, !tile.view<?xf32>
  tile.return
}
