// In a cluster every program stores its part into the shared memory of those that are to see the
// sum, which count the bytes that arrive and then add the parts up.
// RUN: lora-opt %s -tile-simplify -tile-schedule -tile-assign-layouts -cse -tile-to-simt -canonicalize -cse \
// RUN:   | FileCheck %s

module attributes {tile.target = "sm_90a"} {
// CHECK-LABEL: gpu.func @to_one
// CHECK-SAME:  (%{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}: i32) kernel
// CHECK-SAME:  known_cluster_size = array<i32: 4, 1, 1>
// CHECK-SAME:  simt.cluster = 4
// An inbox for four tiles of 16 x 16 x 4 bytes, and its mbarrier.
// CHECK-SAME:  simt.shared_bytes = 4104
// CHECK:       %[[INBOX:.*]] = simt.shared 0
// CHECK:       %[[MBARRIER:.*]] = simt.shared 4096
// One thread of the first program says how much will arrive there.
// CHECK:       %[[LEADER:.*]] = arith.cmpi eq
// CHECK:       %[[RANK:.*]] = arith.remui
// CHECK:       %[[IS_FIRST:.*]] = arith.cmpi eq, %[[RANK]]
// CHECK:       %[[COUNTS:.*]] = arith.andi %[[LEADER]], %[[IS_FIRST]]
// CHECK-NEXT:  simt.mbarrier_init %[[MBARRIER]], 4096 if %[[COUNTS]]
// All programs of the cluster have started before the first store to a peer.
// CHECK-NEXT:  simt.cluster_arrive relaxed
// CHECK-NOT:   simt.barrier
// CHECK:       scf.for
// CHECK:       %[[PART:.*]] = llvm.getelementptr %[[INBOX]][
// CHECK:       simt.cluster_wait
// CHECK-NEXT:  %[[REMOTE:.*]] = simt.peer %[[PART]], %c0_i32 : !llvm.ptr<7>
// CHECK-NEXT:  %[[COUNTER:.*]] = simt.peer %[[MBARRIER]], %c0_i32 : !llvm.ptr<7>
// CHECK-COUNT-2: simt.store_async %{{.*}}, %{{.*}}, %[[COUNTER]] : vector<4xf32>, !llvm.ptr<7>
// CHECK-NOT:   simt.peer
// CHECK-NOT:   simt.store_async
// CHECK-NOT:   simt.cluster_
// CHECK:       scf.if %[[IS_FIRST]]
// CHECK-NEXT:  simt.mbarrier_wait %[[MBARRIER]]
// CHECK:       simt.load %{{.*}} : !llvm.ptr<3> -> vector<4xf32>
// CHECK:       arith.addf
// CHECK-NOT:   simt.cluster_
// CHECK:       gpu.return
tile.kernel @to_one(%x: !tile.ptr<f16>, %y: !tile.ptr<f32>, %n: i32)
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

// Where all see the sum, each has an inbox and waits for it, and stores to itself first.
// CHECK-LABEL: gpu.func @to_all
// CHECK-SAME:  simt.shared_bytes = 2056
// CHECK:       %[[INBOX:.*]] = simt.shared 0
// CHECK:       %[[MBARRIER:.*]] = simt.shared 2048
// CHECK:       %[[LEADER:.*]] = arith.cmpi eq
// CHECK-NEXT:  simt.mbarrier_init %[[MBARRIER]], 2048 if %[[LEADER]]
// CHECK-NEXT:  simt.cluster_arrive relaxed
// CHECK:       %[[RANK:.*]] = arith.remui
// CHECK:       %[[SUCCESSOR:.*]] = arith.addi %[[RANK]], %c1_i32
// CHECK:       scf.for
// CHECK:       simt.cluster_wait
// CHECK-NEXT:  %[[SELF:.*]] = arith.andi %[[RANK]], %c1_i32
// CHECK:       %[[OWN:.*]] = simt.peer %[[MBARRIER]], %[[SELF]]
// CHECK-COUNT-2: simt.store_async %{{.*}}, %{{.*}}, %[[OWN]] : vector<2xf32>
// CHECK-NEXT:  %[[OTHER:.*]] = arith.andi %[[SUCCESSOR]], %c1_i32
// CHECK:       %[[NEXT:.*]] = simt.peer %[[MBARRIER]], %[[OTHER]]
// CHECK-COUNT-2: simt.store_async %{{.*}}, %{{.*}}, %[[NEXT]] : vector<2xf32>
// CHECK-NOT:   simt.peer
// CHECK-NOT:   scf.if
// CHECK:       simt.mbarrier_wait %[[MBARRIER]]
// Every thread of the block adds up its share of the tile, the parts of which lie 1 KB apart.
// CHECK:       simt.load %{{.*}} : !llvm.ptr<3> -> vector<4xf32>
// CHECK:       %[[SECOND:.*]] = llvm.getelementptr %[[INBOX]][1024]
// CHECK-NEXT:  %[[ADDRESS:.*]] = llvm.getelementptr %[[SECOND]]
// CHECK-NEXT:  simt.load %[[ADDRESS]] : !llvm.ptr<3> -> vector<4xf32>
// CHECK-COUNT-4: arith.addf
// CHECK-NOT:   arith.addf
// CHECK-NOT:   simt.cluster_
// CHECK:       gpu.return
tile.kernel @to_all(%x: !tile.ptr<f16>, %y: !tile.ptr<f32>, %n: i32)
    assuming ["x % 16 == 0", "n % 32 == 0"] grid ["1", "1", "1"]
    config {WARPS = 2 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  %Xt = tile.transpose %X : !tile.view<?x?xf16>
  %Y = tile.view %y sizes [%n, %n] strides [64, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32>
  %sum, %all = tile.sum %k below %n step 32 split 2 across x to all -> tensor<16x16xf32> {
    %a = tile.load %X[%c0, %k] : !tile.view<?x?xf16> -> tensor<16x32xf16>
    %b = tile.load %Xt[%k, %c0] : !tile.view<?x?xf16> -> tensor<32x16xf16>
    %product = tile.dot %a, %b : tensor<16x32xf16>, tensor<32x16xf16> -> tensor<16x16xf32>
    tile.yield %product : tensor<16x16xf32>
  }
  tile.store %sum, %Y[%c0, %c0] : tensor<16x16xf32>, !tile.view<?x?xf32>
  tile.return
}

// An mbarrier counts once. In a loop all wait for all, before the stores and behind.
// CHECK-LABEL: gpu.func @repeated
// CHECK-SAME:  simt.shared_bytes = 256
// CHECK:       scf.for
// CHECK-NOT:   simt.mbarrier_init
// CHECK:       simt.cluster_arrive{{$}}
// CHECK:       scf.for
// CHECK:       simt.cluster_wait
// CHECK-NEXT:  simt.peer
// CHECK:       simt.store %{{.*}} if %{{.*}} : vector<4xf32>, !llvm.ptr<7>
// CHECK:       simt.cluster_arrive{{$}}
// CHECK-NEXT:  simt.cluster_wait
// CHECK:       scf.if
// CHECK-NOT:   simt.mbarrier_wait
// CHECK:       simt.load %{{.*}} : !llvm.ptr<3> -> vector<4xf32>
// CHECK:       arith.addf
tile.kernel @repeated(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32) grid ["1", "1", "1"]
    config {WARPS = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32>
  %Y = tile.view %y sizes [%n, %n] strides [64, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %row = tile.subview %X[%i] : !tile.view<?x?xf32> -> !tile.view<?xf32>
    %sum, %mine = tile.sum %k below %n step 32 split 2 across x to one -> tensor<32xf32> {
      %tile = tile.load %row[%k] : !tile.view<?xf32> -> tensor<32xf32>
      tile.yield %tile : tensor<32xf32>
    }
    scf.if %mine {
      %out = tile.subview %Y[%i] : !tile.view<?x?xf32> -> !tile.view<?xf32>
      tile.store %sum, %out[%c0] : tensor<32xf32>, !tile.view<?xf32>
    }
  }
  tile.return
}
}
