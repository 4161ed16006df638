// RUN: lora-opt %s -canonicalize | FileCheck %s

// A cast to the same type is nothing.

// CHECK-LABEL: tile.kernel @cast
tile.kernel @cast(%x: !tile.ptr<f32>, %n: i32, %f: f32) grid ["1", "1", "1"] {
  %X = tile.view %x sizes [%n] strides [1] : !tile.ptr<f32> -> !tile.view<?xf32>
  // CHECK: %[[TILE:.*]] = tile.splat
  // CHECK-NOT: tile.cast
  // CHECK: tile.store %[[TILE]]
  %a = tile.splat %f : f32 -> tensor<16xf32>
  %b = tile.cast %a : tensor<16xf32> -> tensor<16xf32>
  tile.store %b, %X[%n] : tensor<16xf32>, !tile.view<?xf32>
  tile.return
}
