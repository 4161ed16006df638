// What the kernel before cannot be writing is loaded before the wait for it; the rest behind.
// RUN: lora-opt %s -tile-simplify -tile-schedule -tile-assign-layouts -cse -tile-to-simt -canonicalize -cse \
// RUN:   | FileCheck %s

module attributes {tile.target = "sm_90a"} {
// CHECK-LABEL: gpu.func @product
// CHECK-SAME:  (%[[X:[^:]*]]: !llvm.ptr<1>, %[[W:[^:]*]]: !llvm.ptr<1>, %[[Y:[^:]*]]: !llvm.ptr<1>
// CHECK:       simt.release_dependents
// The assembler moves read-only loads over the wait, so that these are none.
// CHECK:       llvm.getelementptr %[[W]]
// CHECK-COUNT-2: simt.load %{{.*}} if %{{[^{]*}} : !llvm.ptr<1> -> vector<8xf16>
// CHECK-NOT:   simt.load
// CHECK-NOT:   llvm.getelementptr %[[X]]
// CHECK:       simt.await_predecessors
// Activations of the first block are loaded right behind the wait.
// CHECK:       %[[ROW:.*]] = llvm.getelementptr %[[X]]
// CHECK-COUNT-2: simt.load %{{.*}} if %{{[^{]*}} : !llvm.ptr<1> -> vector<8xf16>
// CHECK-NOT:   simt.load
// CHECK:       scf.for
// Weights are loaded a block ahead, before this block is used, and behind the wait they may be
// read-only; activations are loaded ahead as soon as their registers are free.
// CHECK:       llvm.getelementptr %[[W]]
// CHECK-COUNT-2: simt.load %{{.*}} if %{{.*}} {hint = 1 : i32} : !llvm.ptr<1> -> vector<8xf16>
// CHECK-NOT:   simt.load
// CHECK-COUNT-4: simt.mma
// CHECK:       llvm.getelementptr %[[ROW]]
// CHECK-COUNT-2: simt.load %{{.*}} if %{{[^{]*}} : !llvm.ptr<1> -> vector<8xf16>
// CHECK-NOT:   simt.load
// CHECK-NOT:   simt.mma
// CHECK-NOT:   simt.await_predecessors
// CHECK:       gpu.return
tile.kernel @product(%x: !tile.ptr<f16>, %w: !tile.ptr<f16>, %y: !tile.ptr<f32>, %n: i32)
    assuming ["x % 16 == 0", "w % 16 == 0", "n % 8 == 0"] awaits ["x", "y"] grid ["1", "1", "1"]
    config {WARPS = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  %W = tile.view %w sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  %Wt = tile.transpose %W : !tile.view<?x?xf16>
  %Y = tile.view %y sizes [%n, %n] strides [64, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32>
  %sum, %mine = tile.sum %k below %n step 32 -> tensor<16x16xf32> {
    %b = tile.load %Wt[%k, %c0] : !tile.view<?x?xf16> -> tensor<32x16xf16>
    %a = tile.load %X[%c0, %k] : !tile.view<?x?xf16> -> tensor<16x32xf16>
    %product = tile.dot %a, %b : tensor<16x32xf16>, tensor<32x16xf16> -> tensor<16x16xf32>
    tile.yield %product : tensor<16x16xf32>
  }
  tile.store %sum, %Y[%c0, %c0] : tensor<16x16xf32>, !tile.view<?x?xf32>
  tile.return
}

// A kernel that names nothing waits for nothing.
// CHECK-LABEL: gpu.func @copy
// CHECK-NOT:   simt.release_dependents
// CHECK-NOT:   simt.await_predecessors
tile.kernel @copy(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32) grid ["1", "1", "1"] {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n] strides [1] : !tile.ptr<f32> -> !tile.view<?xf32>
  %Y = tile.view %y sizes [%n] strides [1] : !tile.ptr<f32> -> !tile.view<?xf32>
  %tile = tile.load %X[%c0] : !tile.view<?xf32> -> tensor<128xf32>
  tile.store %tile, %Y[%c0] : tensor<128xf32>, !tile.view<?xf32>
  tile.return
}
}
