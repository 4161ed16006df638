// RUN: lora-opt %s -canonicalize | FileCheck %s

// A parameter that is bound to a number becomes a constant; others stay.

// CHECK-LABEL: tile.kernel @fold
tile.kernel @fold(%x: !tile.ptr<i32>, %n: i32) params [B = 16 in [16]] grid ["1", "1", "1"] {
  // CHECK-DAG: arith.constant 64 : i32
  // CHECK-DAG: tile.param B : i32
  %number = tile.param 64 : i32
  %name = tile.param B : i32
  %X = tile.view %x sizes [%n] strides [1] : !tile.ptr<i32> -> !tile.view<?xi32>
  %a = tile.splat %number : i32 -> tensor<16xi32>
  %b = tile.splat %name : i32 -> tensor<16xi32>
  tile.store %a, %X[%n] : tensor<16xi32>, !tile.view<?xi32>
  tile.store %b, %X[%n] : tensor<16xi32>, !tile.view<?xi32>
  tile.return
}
