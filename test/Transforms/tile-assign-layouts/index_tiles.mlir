// Row indices and broadcast values get the slice of the layout that they are used in.
// RUN: lora-opt %s -tile-assign-layouts | FileCheck %s

// CHECK-LABEL: tile.kernel @rows
tile.kernel @rows(%x: !tile.ptr<f16>, %n: i32) grid ["1", "1", "1"] config {WARPS = 2 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  // CHECK: tile.iota : tensor<16xi32, #[[ROWS:tile.layout<register = \[\[8\]\], lane = \[\[0\], \[0\], \[0\], \[1\], \[2\]\], warp = \[\[4\]\]>]]>
  %rows = tile.iota : tensor<16xi32>
  // CHECK: tile.gather {{.*}}, tensor<16xi32, #[[ROWS]]> -> tensor<16x64xf16,
  %tile = tile.gather %X[%rows, %c0] : !tile.view<?x?xf16>, tensor<16xi32> -> tensor<16x64xf16>
  tile.scatter %tile, %X[%rows, %c0] : tensor<16x64xf16>, !tile.view<?x?xf16>, tensor<16xi32>
  tile.return
}

// CHECK-LABEL: tile.kernel @factors
tile.kernel @factors(%x: !tile.ptr<f32>, %n: i32) grid ["1", "1", "1"] config {WARPS = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %F = tile.view %x sizes [%n] strides [1] : !tile.ptr<f32> -> !tile.view<?xf32>
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32>
  // CHECK: tile.load {{.*}} -> tensor<8xf32, #[[FACTORS:tile.layout<register = \[\], lane = \[\[0\], \[0\], \[1\], \[2\], \[4\]\], warp = \[\]>]]>
  %factors = tile.load %F[%c0] : !tile.view<?xf32> -> tensor<8xf32>
  %tile = tile.load %X[%c0, %c0] : !tile.view<?x?xf32> -> tensor<8x16xf32>
  // CHECK: tile.broadcast %{{.*}} along 1 : tensor<8xf32, #[[FACTORS]]> -> tensor<8x16xf32,
  %wide = tile.broadcast %factors along 1 : tensor<8xf32> -> tensor<8x16xf32>
  %scaled = arith.mulf %tile, %wide : tensor<8x16xf32>
  tile.store %scaled, %X[%c0, %c0] : tensor<8x16xf32>, !tile.view<?x?xf32>
  tile.return
}
