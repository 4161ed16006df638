// Warps that work on different parts of the reduced dimension have rings of their own, and wait for
// each other by parts.
// RUN: lora-opt %s -tile-simplify -tile-schedule -tile-assign-layouts -cse -tile-to-simt -canonicalize -cse \
// RUN:   | FileCheck %s

// CHECK-LABEL: gpu.func @groups_of_two
// CHECK-SAME:  simt.shared_bytes = 16384
// CHECK:       scf.for
// CHECK-NEXT:  simt.cp_async_wait 0
// CHECK-NEXT:  simt.barrier named %{{.*}}, 64
tile.kernel @groups_of_two(%x: !tile.ptr<f16>, %y: !tile.ptr<f32>, %n: i32)
    assuming ["x % 16 == 0", "n % 64 == 0"] grid ["1", "1", "1"]
    config {WARPS = 4 : i64, WARPS_K = 2 : i64, STAGES = 2 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  %Xt = tile.transpose %X : !tile.view<?x?xf16>
  %Y = tile.view %y sizes [%n, %n] strides [64, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32>
  %sum, %all = tile.sum %k below %n step 64 -> tensor<16x16xf32> {
    %a = tile.load %X[%c0, %k] : !tile.view<?x?xf16> -> tensor<16x64xf16>
    %b = tile.load %Xt[%k, %c0] : !tile.view<?x?xf16> -> tensor<64x16xf16>
    %product = tile.dot %a, %b : tensor<16x64xf16>, tensor<64x16xf16> -> tensor<16x16xf32>
    tile.yield %product : tensor<16x16xf32>
  }
  tile.store %sum, %Y[%c0, %c0] : tensor<16x16xf32>, !tile.view<?x?xf32>
  tile.return
}

// CHECK-LABEL: gpu.func @single_warps
// CHECK-SAME:  simt.shared_bytes = 16384
// CHECK:       scf.for
// CHECK-NEXT:  simt.cp_async_wait 0
// CHECK-NEXT:  simt.warp_barrier
tile.kernel @single_warps(%x: !tile.ptr<f16>, %y: !tile.ptr<f32>, %n: i32)
    assuming ["x % 16 == 0", "n % 64 == 0"] grid ["1", "1", "1"]
    config {WARPS = 2 : i64, WARPS_K = 2 : i64, STAGES = 2 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  %Xt = tile.transpose %X : !tile.view<?x?xf16>
  %Y = tile.view %y sizes [%n, %n] strides [64, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32>
  %sum, %all = tile.sum %k below %n step 64 -> tensor<16x16xf32> {
    %a = tile.load %X[%c0, %k] : !tile.view<?x?xf16> -> tensor<16x64xf16>
    %b = tile.load %Xt[%k, %c0] : !tile.view<?x?xf16> -> tensor<64x16xf16>
    %product = tile.dot %a, %b : tensor<16x64xf16>, tensor<64x16xf16> -> tensor<16x16xf32>
    tile.yield %product : tensor<16x16xf32>
  }
  tile.store %sum, %Y[%c0, %c0] : tensor<16x16xf32>, !tile.view<?x?xf32>
  tile.return
}
