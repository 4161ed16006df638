// Warps that share the reduced dimension put their parts side by side in shared memory, where all
// of them are added up in the order of the tree: ((0 + 1) + (2 + 3)).
// RUN: lora-opt %s -tile-simplify -tile-schedule -tile-assign-layouts -cse -tile-to-simt -canonicalize -cse \
// RUN:   | FileCheck %s

// CHECK-LABEL: gpu.func @warps_k
// CHECK-SAME:  simt.shared_bytes = 4096
// Nothing has used that memory before, so that only the loads wait for the stores.
// CHECK-NOT:   simt.barrier
// CHECK:       scf.for
// CHECK-NOT:   simt.barrier
// CHECK-COUNT-2: simt.store %{{.*}} : vector<4xf32>, !llvm.ptr<3>
// CHECK-NEXT:  simt.barrier
// CHECK-COUNT-4: simt.load %{{.*}} : !llvm.ptr<3>
// CHECK:         %[[LEFT:.*]] = arith.addf
// CHECK-COUNT-3: arith.addf
// CHECK:         %[[RIGHT:.*]] = arith.addf
// CHECK-COUNT-3: arith.addf
// CHECK:         arith.addf %[[LEFT]], %[[RIGHT]]
// CHECK-NOT:     simt.barrier
// CHECK:         gpu.return
tile.kernel @warps_k(%x: !tile.ptr<f16>, %y: !tile.ptr<f32>, %n: i32)
    assuming ["x % 16 == 0", "n % 32 == 0"] grid ["1", "1", "1"]
    config {WARPS = 4 : i64, WARPS_K = 4 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  %Xt = tile.transpose %X : !tile.view<?x?xf16>
  %Y = tile.view %y sizes [%n, %n] strides [64, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32>
  %sum, %all = tile.sum %k below %n step 32 -> tensor<16x16xf32> {
    %a = tile.load %X[%c0, %k] : !tile.view<?x?xf16> -> tensor<16x32xf16>
    %b = tile.load %Xt[%k, %c0] : !tile.view<?x?xf16> -> tensor<32x16xf16>
    %product = tile.dot %a, %b : tensor<16x32xf16>, tensor<32x16xf16> -> tensor<16x16xf32>
    tile.yield %product : tensor<16x16xf32>
  }
  tile.store %sum, %Y[%c0, %c0] : tensor<16x16xf32>, !tile.view<?x?xf32>
  tile.return
}
