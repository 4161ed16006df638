// RUN: lora-opt %s -canonicalize | FileCheck %s

// Two transposes cancel.

// CHECK-LABEL: tile.kernel @transpose_twice
tile.kernel @transpose_twice(%x: !tile.ptr<f32>, %n: i32) grid ["1", "1", "1"] {
  // CHECK:      %[[VIEW:.*]] = tile.view
  // CHECK-NEXT: %[[TILE:.*]] = tile.load %[[VIEW]]
  %a = tile.view %x sizes [%n, %n] strides [4, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32>
  %b = tile.transpose %a : !tile.view<?x?xf32>
  %c = tile.transpose %b : !tile.view<?x?xf32>
  %tile = tile.load %c[%n, %n] : !tile.view<?x?xf32> -> tensor<16x16xf32>
  tile.store %tile, %c[%n, %n] : tensor<16x16xf32>, !tile.view<?x?xf32>
  tile.return
}
