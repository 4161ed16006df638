// A tile is computed once per layout wanted; a product that is wanted in another is converted.
// RUN: lora-opt %s -tile-assign-layouts | FileCheck %s

// CHECK-LABEL: tile.kernel @loaded_twice
tile.kernel @loaded_twice(%x: !tile.ptr<f16>, %y: !tile.ptr<f32>, %n: i32) grid ["1", "1", "1"]
    config {WARPS = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  %Y = tile.view %y sizes [%n, %n] strides [64, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32>
  // CHECK:     %[[FIRST:.*]] = tile.load
  // CHECK:     %[[SECOND:.*]] = tile.load
  // CHECK-NOT: tile.load
  // CHECK-NOT: tile.convert_layout
  // CHECK:     tile.dot %[[FIRST]], %[[SECOND]]
  %tile = tile.load %X[%c0, %c0] : !tile.view<?x?xf16> -> tensor<16x16xf16>
  %square = tile.dot %tile, %tile : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
  tile.store %square, %Y[%c0, %c0] : tensor<16x16xf32>, !tile.view<?x?xf32>
  tile.return
}

// CHECK-LABEL: tile.kernel @product_of_product
tile.kernel @product_of_product(%x: !tile.ptr<f32>, %n: i32) grid ["1", "1", "1"]
    config {WARPS = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32>
  %tile = tile.load %X[%c0, %c0] : !tile.view<?x?xf32> -> tensor<16x16xf32>
  // CHECK:      %[[SQUARE:.*]] = tile.dot
  // CHECK-NEXT: %[[RHS:.*]] = tile.convert_layout %[[SQUARE]]
  // CHECK:      tile.dot %{{.*}}, %[[RHS]]
  %square = tile.dot %tile, %tile : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  %cube = tile.dot %tile, %square : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  tile.store %cube, %X[%c0, %c0] : tensor<16x16xf32>, !tile.view<?x?xf32>
  tile.return
}
