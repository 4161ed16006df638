// Operands on the direct path go from global memory to the tensor cores without shared memory.
// RUN: lora-opt %s -tile-simplify -tile-schedule -tile-assign-layouts -cse -tile-to-simt -canonicalize -cse \
// RUN:   | FileCheck %s

// CHECK-LABEL: gpu.func @direct
// CHECK-SAME:  simt.shared_bytes = 0
tile.kernel @direct(%x: !tile.ptr<f16>, %y: !tile.ptr<f32>, %n: i32)
    assuming ["x % 16 == 0", "n % 32 == 0"] grid ["1", "1", "1"] config {WARPS = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  %Xt = tile.transpose %X : !tile.view<?x?xf16>
  %Y = tile.view %y sizes [%n, %n] strides [64, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32>
  // CHECK-NOT:     simt.shared
  // CHECK-NOT:     simt.barrier
  // CHECK:         scf.for
  %sum, %all = tile.sum %k below %n step 32 -> tensor<16x8xf32> {
    // CHECK-COUNT-3: simt.load %{{.*}} {hint = 1 : i32} : !llvm.ptr<1> -> vector<8xf16>
    %a = tile.load %X[%c0, %k] : !tile.view<?x?xf16> -> tensor<16x32xf16>
    %b = tile.load %Xt[%k, %c0] : !tile.view<?x?xf16> -> tensor<32x8xf16>
    // CHECK-COUNT-2: simt.mma %{{.*}} : vector<8xf16>, vector<4xf16>, vector<4xf32>
    // CHECK-NOT:     simt.mma
    %product = tile.dot %a, %b : tensor<16x32xf16>, tensor<32x8xf16> -> tensor<16x8xf32>
    tile.yield %product : tensor<16x8xf32>
  }
  // CHECK-NOT:     simt.shared
  tile.store %sum, %Y[%c0, %c0] : tensor<16x8xf32>, !tile.view<?x?xf32>
  tile.return
}
