// In a cluster every program stores its part into the shared memory of the first one, which adds
// them up behind a barrier.
// RUN: lora-opt %s -tile-simplify -tile-schedule -tile-assign-layouts -cse -tile-to-simt -canonicalize -cse \
// RUN:   | FileCheck %s

module attributes {tile.target = "sm_90a"} {
// CHECK-LABEL: gpu.func @split
// CHECK-SAME:  (%{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}: i32) kernel
// CHECK-SAME:  simt.cluster = 4
// An inbox for four tiles of 16 x 16 x 4 bytes.
// CHECK-SAME:  simt.shared_bytes = 4096
// All programs of the cluster have started before the first store to a peer.
// CHECK:       simt.cluster_arrive relaxed
// CHECK:       scf.for
// CHECK:       simt.cluster_wait
// CHECK:       %[[FIRST:.*]] = simt.peer %{{.*}}, %{{.*}} : !llvm.ptr<7>
// CHECK:       simt.store %{{.*}}, %{{.*}} : vector<{{.*}}>, !llvm.ptr<7>
// CHECK:       simt.cluster_arrive
// CHECK-NEXT:  simt.cluster_wait
// CHECK:       scf.if
// CHECK:       simt.load %{{.*}} : !llvm.ptr<3>
// CHECK:       arith.addf
tile.kernel @split(%x: !tile.ptr<f16>, %y: !tile.ptr<f32>, %n: i32)
    assuming ["x % 16 == 0", "n % 32 == 0"] grid ["1", "1", "1"]
    config {WARPS = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  %Xt = tile.transpose %X : !tile.view<?x?xf16>
  %Y = tile.view %y sizes [%n, %n] strides [64, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32>
  %sum, %mine = tile.sum %k below %n step 32 split 4 across x to one -> tensor<16x16xf32> {
    %a = tile.load %X[%c0, %k] : !tile.view<?x?xf16> -> tensor<16x32xf16>
    %b = tile.load %Xt[%k, %c0] : !tile.view<?x?xf16> -> tensor<32x16xf16>
    %product = tile.dot %a, %b : tensor<16x32xf16>, tensor<32x16xf16> -> tensor<16x16xf32>
    tile.yield %product : tensor<16x16xf32>
  }
  scf.if %mine {
    tile.store %sum, %Y[%c0, %c0] : tensor<16x16xf32>, !tile.view<?x?xf32>
  }
  tile.return
}
}
