// A warp adds its leaves up like a binary counter: a finished leaf goes up one level of the tree for
// each bit that ends in its number, each level an scf.if inside of the last.
// RUN: lora-opt %s -tile-simplify -tile-schedule -tile-assign-layouts -cse -tile-to-simt -canonicalize -cse \
// RUN:   | FileCheck %s

// 64 leaves among 4 x 4 parts: each warp has 4, which is 2 levels.
// CHECK-LABEL: gpu.func @two_levels
tile.kernel @two_levels(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32) grid ["4", "1", "1"]
    config {WARPS = 4 : i64, WARPS_K = 4 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n] strides [1] : !tile.ptr<f32> -> !tile.view<?xf32>
  %Y = tile.view %y sizes [%n] strides [1] : !tile.ptr<f32> -> !tile.view<?xf32>
  // CHECK:      scf.for
  // CHECK:      %[[AT_END:.*]] = arith.cmpi sge
  // CHECK:      scf.if %[[AT_END]]
  // CHECK:      %[[BIT_0:.*]] = arith.cmpi ne
  // CHECK:      scf.if %[[BIT_0]]
  // CHECK:      arith.addf
  // CHECK:      %[[BIT_1:.*]] = arith.cmpi ne
  // CHECK:      scf.if %[[BIT_1]]
  // CHECK:      arith.addf
  // CHECK-NOT:  arith.cmpi ne
  // CHECK:      simt.barrier
  %sum, %mine = tile.sum %k below %n step 32 split 4 across x to one -> tensor<32xf32> {
    %tile = tile.load %X[%k] : !tile.view<?xf32> -> tensor<32xf32>
    tile.yield %tile : tensor<32xf32>
  }
  scf.if %mine {
    tile.store %sum, %Y[%c0] : tensor<32xf32>, !tile.view<?xf32>
  }
  tile.return
}

// A warp that evaluates a single leaf has nothing to combine.
// CHECK-LABEL: gpu.func @one_leaf
tile.kernel @one_leaf(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32) grid ["16", "1", "1"]
    config {WARPS = 4 : i64, WARPS_K = 4 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n] strides [1] : !tile.ptr<f32> -> !tile.view<?xf32>
  %Y = tile.view %y sizes [%n] strides [1] : !tile.ptr<f32> -> !tile.view<?xf32>
  // CHECK:     scf.for
  // CHECK-NOT: scf.if
  // CHECK:     scf.yield
  %sum, %mine = tile.sum %k below %n step 32 split 16 across x to one -> tensor<32xf32> {
    %tile = tile.load %X[%k] : !tile.view<?xf32> -> tensor<32xf32>
    tile.yield %tile : tensor<32xf32>
  }
  scf.if %mine {
    tile.store %sum, %Y[%c0] : tensor<32xf32>, !tile.view<?xf32>
  }
  tile.return
}

// 512 elements have 4 leaves: 2 levels.
// CHECK-LABEL: gpu.func @bounded
tile.kernel @bounded(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32) grid ["1", "1", "1"]
    config {WARPS = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %c512 = arith.constant 512 : i32
  %most = arith.minsi %n, %c512 : i32
  %X = tile.view %x sizes [%n] strides [1] : !tile.ptr<f32> -> !tile.view<?xf32>
  %Y = tile.view %y sizes [%n] strides [1] : !tile.ptr<f32> -> !tile.view<?xf32>
  // CHECK-COUNT-2: arith.cmpi ne
  // CHECK-NOT:     arith.cmpi ne
  // CHECK:         gpu.return
  %sum, %all = tile.sum %k below %most step 32 -> tensor<32xf32> {
    %tile = tile.load %X[%k] : !tile.view<?xf32> -> tensor<32xf32>
    tile.yield %tile : tensor<32xf32>
  }
  tile.store %sum, %Y[%c0] : tensor<32xf32>, !tile.view<?xf32>
  tile.return
}
