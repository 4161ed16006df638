// A cluster has one barrier: the inbox of the next sum opens before the wait for the kernel before, that
// of the sum behind it only when its turn comes. The weights of both are loaded before.
// RUN: lora-opt %s -tile-simplify -tile-schedule -tile-assign-layouts -tile-to-simt -canonicalize -cse | FileCheck %s

module attributes {tile.target = "sm_90a"} {
// CHECK-LABEL: gpu.func @two
// CHECK:       simt.mbarrier_init
// CHECK-NEXT:  simt.cluster_arrive relaxed
// CHECK:       simt.load
// CHECK-NOT:   simt.cluster_arrive
// CHECK:       simt.await_predecessors
// CHECK-NOT:   simt.cluster_arrive
// CHECK:       simt.cluster_wait
// CHECK:       simt.store_async
// CHECK:       simt.mbarrier_wait
// CHECK:       simt.mbarrier_init
// CHECK-NEXT:  simt.cluster_arrive relaxed
// CHECK:       simt.cluster_wait
// CHECK:       simt.mbarrier_wait
// CHECK-NOT:   simt.cluster
tile.kernel @two(%x: !tile.ptr<f16>, %a: !tile.ptr<f16>, %y: !tile.ptr<f32>, %n: i32)
    assuming ["x % 16 == 0", "a % 16 == 0", "n % 32 == 0"] awaits ["x"] grid ["2", "1", "1"]
    config {WARPS = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  %A = tile.view %a sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  %At = tile.transpose %A : !tile.view<?x?xf16>
  %Y = tile.view %y sizes [%n, %n] strides [64, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32>
  %first, %mine = tile.sum %k below %n step 32 split 2 across x to all -> tensor<16x16xf32> {
    %w = tile.load %At[%k, %c0] : !tile.view<?x?xf16> -> tensor<32x16xf16>
    %v = tile.load %X[%c0, %k] : !tile.view<?x?xf16> -> tensor<16x32xf16>
    %product = tile.dot %v, %w : tensor<16x32xf16>, tensor<32x16xf16> -> tensor<16x16xf32>
    tile.yield %product : tensor<16x16xf32>
  }
  %second, %mine2 = tile.sum %k below %n step 32 split 2 across x to all -> tensor<16x16xf32> {
    %w = tile.load %At[%k, %c16] : !tile.view<?x?xf16> -> tensor<32x16xf16>
    %v = tile.load %X[%c0, %k] : !tile.view<?x?xf16> -> tensor<16x32xf16>
    %product = tile.dot %v, %w : tensor<16x32xf16>, tensor<32x16xf16> -> tensor<16x16xf32>
    tile.yield %product : tensor<16x16xf32>
  }
  %both = arith.addf %first, %second : tensor<16x16xf32>
  tile.store %both, %Y[%c0, %c0] : tensor<16x16xf32>, !tile.view<?x?xf32>
  tile.return
}
}
