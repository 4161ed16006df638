// An accumulating store widens the old value, adds in f32, and rounds once.
// RUN: lora-opt %s -tile-simplify -tile-schedule -tile-assign-layouts -cse -tile-to-simt -canonicalize -cse \
// RUN:   | FileCheck %s

// CHECK-LABEL: gpu.func @half
tile.kernel @half(%x: !tile.ptr<f32>, %y: !tile.ptr<f16>, %n: i32) grid ["1", "1", "1"]
    config {WARPS = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n] strides [1] : !tile.ptr<f32> -> !tile.view<?xf32>
  %Y = tile.view %y sizes [%n] strides [1] : !tile.ptr<f16> -> !tile.view<?xf16>
  // CHECK: %[[VALUE:.*]] = simt.load %{{.*}} : !llvm.ptr<1> -> f32
  %tile = tile.load %X[%c0] : !tile.view<?xf32> -> tensor<32xf32>
  // CHECK: %[[OLD:.*]] = simt.load %[[ADDRESS:.*]] if %[[INSIDE:.*]] : !llvm.ptr<1> -> f16
  // CHECK: %[[WIDE:.*]] = arith.extf %[[OLD]] : f16 to f32
  // CHECK: %[[SUM:.*]] = arith.addf %[[WIDE]], %[[VALUE]] : f32
  // CHECK: %[[NEW:.*]] = arith.truncf %[[SUM]] : f32 to f16
  // CHECK: simt.store %[[NEW]], %[[ADDRESS]] if %[[INSIDE]] : f16
  tile.store %tile, %Y[%c0] accumulate : tensor<32xf32>, !tile.view<?xf16>
  tile.return
}

// CHECK-LABEL: gpu.func @single
tile.kernel @single(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32) grid ["1", "1", "1"]
    config {WARPS = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n] strides [1] : !tile.ptr<f32> -> !tile.view<?xf32>
  %Y = tile.view %y sizes [%n] strides [1] : !tile.ptr<f32> -> !tile.view<?xf32>
  %tile = tile.load %X[%c0] : !tile.view<?xf32> -> tensor<32xf32>
  // CHECK-NOT: arith.truncf
  // CHECK:     arith.addf
  // CHECK-NOT: arith.truncf
  tile.store %tile, %Y[%c0] accumulate : tensor<32xf32>, !tile.view<?xf32>
  tile.return
}
