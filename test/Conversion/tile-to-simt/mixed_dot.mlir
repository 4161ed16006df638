// Operands of two 16-bit types meet in tf32, which holds both.
// RUN: lora-opt %s -tile-simplify -tile-schedule -tile-assign-layouts -cse -tile-to-simt -canonicalize -cse \
// RUN:   | FileCheck %s

// CHECK-LABEL: gpu.func @mixed
tile.kernel @mixed(%x: !tile.ptr<f16>, %w: !tile.ptr<bf16>, %y: !tile.ptr<f32>, %n: i32)
    grid ["1", "1", "1"] config {WARPS = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  %W = tile.view %w sizes [%n, %n] strides [64, 1] : !tile.ptr<bf16> -> !tile.view<?x?xbf16>
  %Y = tile.view %y sizes [%n, %n] strides [64, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32>
  %a = tile.load %X[%c0, %c0] : !tile.view<?x?xf16> -> tensor<16x16xf16>
  %b = tile.load %W[%c0, %c0] : !tile.view<?x?xbf16> -> tensor<16x8xbf16>
  // CHECK-DAG:     arith.extf %{{.*}} : f16 to f32
  // CHECK-DAG:     arith.extf %{{.*}} : bf16 to f32
  // CHECK-COUNT-2: simt.mma %{{.*}} : vector<4xf32>, vector<2xf32>, vector<4xf32>
  // CHECK-NOT:     simt.mma
  %product = tile.dot %a, %b : tensor<16x16xf16>, tensor<16x8xbf16> -> tensor<16x8xf32>
  tile.store %product, %Y[%c0, %c0] : tensor<16x8xf32>, !tile.view<?x?xf32>
  tile.return
}
