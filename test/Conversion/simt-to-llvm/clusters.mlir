// RUN: lora-opt %s --pass-pipeline="builtin.module(gpu.module(convert-scf-to-cf,simt-to-llvm))" | FileCheck %s

gpu.module @m {
  // CHECK-LABEL: llvm.func @peer
  gpu.func @peer(%rank: i32, %value: vector<4xf32>, %inside: i1) kernel {
    %mine = simt.shared 128
    // CHECK: %[[MINE:.*]] = llvm.ptrtoint %{{.*}} : !llvm.ptr<3> to i32
    // CHECK: %[[ADDRESS:.*]] = llvm.inline_asm "mapa.shared::cluster.u32 $0, $1, $2;", "=r,r,r" %[[MINE]], %{{.*}}
    // CHECK: llvm.inttoptr %[[ADDRESS]] : i32 to !llvm.ptr<7>
    %peer = simt.peer %mine, %rank : !llvm.ptr<7>
    // CHECK: "st.shared::cluster.v4.b32 [$0], {$1, $2, $3, $4};", "r,r,r,r,r,~{memory}"
    simt.store %value, %peer : vector<4xf32>, !llvm.ptr<7>
    // CHECK: "@$1 st.shared::cluster.v4.b32 [$0], {$2, $3, $4, $5};", "r,b,r,r,r,r,~{memory}"
    simt.store %value, %peer if %inside : vector<4xf32>, !llvm.ptr<7>
    // CHECK: "ld.shared::cluster.b32 $0, [$1];", "=r,r,~{memory}"
    %read = simt.load %peer : !llvm.ptr<7> -> f32
    simt.store %read, %mine : f32, !llvm.ptr<3>
    gpu.return
  }

  // CHECK-LABEL: llvm.func @barriers
  gpu.func @barriers() kernel {
    // CHECK: "barrier.cluster.arrive.relaxed.aligned;", "~{memory}"
    simt.cluster_arrive relaxed
    // CHECK: "barrier.cluster.wait.acquire.aligned;", "~{memory}"
    simt.cluster_wait
    // CHECK: "barrier.cluster.arrive.release.aligned;", "~{memory}"
    simt.cluster_arrive
    simt.cluster_wait
    gpu.return
  }

  // CHECK-LABEL: llvm.func @mbarrier
  gpu.func @mbarrier(%rank: i32, %value: vector<2xf32>, %first: i1) kernel {
    %mine = simt.shared 128
    %mbarrier = simt.shared 256
    // CHECK: "@$1 mbarrier.init.shared.b64 [$0], 1;\0A@$1 mbarrier.arrive.expect_tx.shared.b64 _, [$0], 64;\0A@$1 fence.mbarrier_init.release.cluster;", "r,b,~{memory}"
    simt.mbarrier_init %mbarrier, 64 if %first
    simt.cluster_arrive relaxed
    simt.cluster_wait
    %peer = simt.peer %mine, %rank : !llvm.ptr<7>
    %its = simt.peer %mbarrier, %rank : !llvm.ptr<7>
    // CHECK: "@$2 st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [$0], {$3, $4}, [$1];", "r,r,b,r,r,~{memory}"
    simt.store_async %value, %peer, %its if %first : vector<2xf32>, !llvm.ptr<7>
    // CHECK: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [$0], 0;
    simt.mbarrier_wait %mbarrier
    gpu.return
  }

  // CHECK-LABEL: llvm.func @dependent_launch
  gpu.func @dependent_launch() kernel {
    // CHECK: "griddepcontrol.launch_dependents;", "~{memory}"
    simt.release_dependents
    // CHECK: "griddepcontrol.wait;", "~{memory}"
    simt.await_predecessors
    gpu.return
  }
}
