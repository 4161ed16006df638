// A kernel becomes a function of one thread, in a module of its own.
// RUN: lora-opt %s -tile-simplify -tile-schedule -tile-assign-layouts -cse -tile-to-simt -canonicalize -cse \
// RUN:   | FileCheck %s

// CHECK:      gpu.module @add
// CHECK:      gpu.func @add(%{{.*}}: !llvm.ptr<1>, %{{.*}}: i32, %{{.*}}: i64, %{{.*}}: f32) kernel
// CHECK-SAME: known_block_size = array<i32: 64, 1, 1>
// CHECK-SAME: simt.shared_bytes = 0
// CHECK-NOT:  tile.
// CHECK:      gpu.return
tile.kernel @add(%x: !tile.ptr<f32>, %n: i32, %stride: i64, %f: f32) grid ["1", "1", "1"]
    config {WARPS = 2 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n, %n] strides [%stride, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32>
  %tile = tile.load %X[%c0, %c0] : !tile.view<?x?xf32> -> tensor<16x64xf32>
  %splat = tile.splat %f : f32 -> tensor<16x64xf32>
  %sum = arith.addf %tile, %splat : tensor<16x64xf32>
  tile.store %sum, %X[%c0, %c0] : tensor<16x64xf32>, !tile.view<?x?xf32>
  tile.return
}
