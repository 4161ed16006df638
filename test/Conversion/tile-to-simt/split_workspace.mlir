// Programs that share a sum put their parts into a workspace; the last to arrive adds them up.
// RUN: lora-opt %s -tile-simplify -tile-schedule -tile-assign-layouts -cse -tile-to-simt -canonicalize -cse \
// RUN:   | FileCheck %s

module attributes {tile.target = "sm_80"} {
// Two pointers more than the kernel has: the workspace and the counters.
// CHECK-LABEL: gpu.func @split
// CHECK-SAME:  (%{{.*}}: !llvm.ptr<1>, %{{.*}}: !llvm.ptr<1>, %{{.*}}: i32, %[[WORKSPACE:.*]]: !llvm.ptr<1>, %[[COUNTERS:.*]]: !llvm.ptr<1>)
// CHECK-SAME:  simt.split = 4
// A part is a 16 x 16 tile of f32.
// CHECK-SAME:  simt.workspace_bytes = 4096
// CHECK:       scf.for
// CHECK-COUNT-2: simt.store %{{.*}} : vector<4xf32>, !llvm.ptr<1>
// CHECK:       simt.fence
// CHECK:       simt.barrier
// CHECK:       %[[COUNTER:.*]] = llvm.getelementptr %[[COUNTERS]]
// CHECK:       scf.if
// CHECK:       %[[ARRIVED:.*]] = simt.atomic_add %[[COUNTER]], %{{.*}}
// CHECK:       simt.store %[[ARRIVED]], %[[FLAG:.*]] : i32, !llvm.ptr<3>
// CHECK:       simt.barrier
// CHECK:       simt.load %[[FLAG]] : !llvm.ptr<3> -> i32
// CHECK:       %[[LAST:.*]] = arith.cmpi eq
// CHECK:       scf.if %[[LAST]]
// CHECK:       simt.fence
// The counter is ready for the next launch.
// CHECK:       simt.store %{{.*}}, %[[COUNTER]] if %{{.*}} : i32
// CHECK-COUNT-8: simt.load %{{.*}} : !llvm.ptr<1> -> vector<4xf32>
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
