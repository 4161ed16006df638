// On the shared path asynchronous copies fill a ring of buffers ahead of their use.
// RUN: lora-opt %s -tile-simplify -tile-schedule -tile-assign-layouts -cse -tile-to-simt -canonicalize -cse \
// RUN:   | FileCheck %s

// Three buffers of (16 x 64 + 64 x 16) x 2 bytes.
// CHECK-LABEL: gpu.func @ring
// CHECK-SAME:  simt.shared_bytes = 12288
// Two blocks are under way before the loop begins. Nothing has used the memory before.
// CHECK-NOT:     simt.barrier
// CHECK-COUNT-4: simt.cp_async %{{.*}}, %{{.*}}, 16 if
// CHECK:         simt.cp_async_commit
// CHECK-COUNT-4: simt.cp_async %{{.*}}, %{{.*}}, 16 if
// CHECK:         simt.cp_async_commit
// CHECK:         scf.for
// The oldest is waited for, by this thread and then by all, before its buffer is read and the next
// is filled.
// CHECK-NEXT:    simt.cp_async_wait 1
// CHECK-NEXT:    simt.barrier
// CHECK-COUNT-4: simt.cp_async %{{.*}}, %{{.*}}, 16 if
// CHECK:         simt.cp_async_commit
// CHECK:         simt.load %{{.*}} : !llvm.ptr<3> -> vector<8xf16>
// CHECK:         simt.mma
// No copy outlives the loop.
// CHECK:         simt.cp_async_wait 0
tile.kernel @ring(%x: !tile.ptr<f16>, %y: !tile.ptr<f32>, %n: i32)
    assuming ["x % 16 == 0", "n % 64 == 0"] grid ["1", "1", "1"]
    config {WARPS = 2 : i64, STAGES = 3 : i64} {
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
