// A ring copies what the kernel before cannot be writing while it waits for that kernel.
// RUN: lora-opt %s -tile-simplify -tile-schedule -tile-assign-layouts -cse -tile-to-simt -canonicalize -cse \
// RUN:   | FileCheck %s

module attributes {tile.target = "sm_90a"} {
// CHECK-LABEL: gpu.func @weights_first
// CHECK-SAME:  (%[[X:[^:]*]]: !llvm.ptr<1>, %[[W:[^:]*]]: !llvm.ptr<1>
// Weights of two blocks, of 16 bytes a thread and row fragment.
// CHECK:         simt.release_dependents
// CHECK-NOT:     simt.barrier
// CHECK:         llvm.getelementptr %[[W]]
// CHECK-COUNT-4: simt.cp_async %{{.*}}, %{{.*}}, 16 if
// CHECK-NOT:     simt.cp_async
// CHECK-NOT:     llvm.getelementptr %[[X]]
// CHECK:         simt.await_predecessors
// Activations close the groups of their blocks; the weights belong to the first.
// CHECK:         llvm.getelementptr %[[X]]
// CHECK-COUNT-2: simt.cp_async %{{.*}}, %{{.*}}, 16 if
// CHECK-NEXT:    simt.cp_async_commit
// CHECK-COUNT-2: simt.cp_async %{{.*}}, %{{.*}}, 16 if
// CHECK-NEXT:    simt.cp_async_commit
// CHECK-NOT:     simt.cp_async
// CHECK:         scf.for
// CHECK-NEXT:    simt.cp_async_wait 1
// CHECK-NEXT:    simt.barrier
// In the loop both are one group.
// CHECK-COUNT-4: simt.cp_async %{{.*}}, %{{.*}}, 16 if
// CHECK-NEXT:    simt.cp_async_commit
// CHECK-NOT:     simt.await_predecessors
// CHECK-NOT:     simt.cp_async %
// CHECK:         simt.cp_async_wait 0
tile.kernel @weights_first(%x: !tile.ptr<f16>, %w: !tile.ptr<f16>, %y: !tile.ptr<f32>, %n: i32)
    assuming ["x % 16 == 0", "w % 16 == 0", "n % 64 == 0"] awaits ["x", "y"] grid ["1", "1", "1"]
    config {WARPS = 2 : i64, STAGES = 3 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  %W = tile.view %w sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  %Wt = tile.transpose %W : !tile.view<?x?xf16>
  %Y = tile.view %y sizes [%n, %n] strides [64, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32>
  %sum, %mine = tile.sum %k below %n step 64 -> tensor<16x16xf32> {
    %a = tile.load %X[%c0, %k] : !tile.view<?x?xf16> -> tensor<16x64xf16>
    %b = tile.load %Wt[%k, %c0] : !tile.view<?x?xf16> -> tensor<64x16xf16>
    %product = tile.dot %a, %b : tensor<16x64xf16>, tensor<64x16xf16> -> tensor<16x16xf32>
    tile.yield %product : tensor<16x16xf32>
  }
  tile.store %sum, %Y[%c0, %c0] : tensor<16x16xf32>, !tile.view<?x?xf32>
  tile.return
}

// The ring waits for its turn where another use of the same memory comes before the sum.
// CHECK-LABEL: gpu.func @conversion_first
// CHECK-NOT:     simt.cp_async
// CHECK:         simt.await_predecessors
// CHECK-NOT:     simt.cp_async
// CHECK:         simt.store %{{.*}}, !llvm.ptr<3>
// CHECK:         simt.barrier
// CHECK:         simt.load %{{.*}} : !llvm.ptr<3>
// CHECK:         simt.barrier
// CHECK-COUNT-4: simt.cp_async %
tile.kernel @conversion_first(%x: !tile.ptr<f16>, %w: !tile.ptr<f16>, %y: !tile.ptr<f32>, %n: i32)
    assuming ["x % 16 == 0", "w % 16 == 0", "n % 64 == 0"] awaits ["x", "y"] grid ["1", "1", "1"]
    config {WARPS = 2 : i64, STAGES = 2 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  %W = tile.view %w sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  %Wt = tile.transpose %W : !tile.view<?x?xf16>
  %Y = tile.view %y sizes [%n, %n] strides [64, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32>
  %old = tile.load %Y[%c0, %c0] : !tile.view<?x?xf32> -> tensor<16x16xf32>
  %square = tile.dot %old, %old : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  %cube = tile.dot %old, %square : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  tile.store %cube, %Y[%c0, %c0] : tensor<16x16xf32>, !tile.view<?x?xf32>
  %sum, %mine = tile.sum %k below %n step 64 -> tensor<16x16xf32> {
    %a = tile.load %X[%c0, %k] : !tile.view<?x?xf16> -> tensor<16x64xf16>
    %b = tile.load %Wt[%k, %c0] : !tile.view<?x?xf16> -> tensor<64x16xf16>
    %product = tile.dot %a, %b : tensor<16x64xf16>, tensor<64x16xf16> -> tensor<16x16xf32>
    tile.yield %product : tensor<16x16xf32>
  }
  tile.store %sum, %Y[%c0, %c0] : tensor<16x16xf32>, !tile.view<?x?xf32>
  tile.return
}
}
