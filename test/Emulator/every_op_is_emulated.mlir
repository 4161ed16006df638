// Every op of the simt dialect has an emulation: this kernel uses all of them.
// RUN: lora-opt --simt-to-host %s | FileCheck %s --implicit-check-not=simt.
// RUN: %python %S/unused_ops.py %S/../../dialects/Simt/SimtOps.td %s

// CHECK: llvm.func @lora_emulator_kernel
gpu.module @m {
  gpu.func @every_op(%p: !llvm.ptr<1>, %a: vector<8xf16>, %b: vector<4xf16>, %c: vector<4xf32>)
      kernel {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    simt.await_predecessors
    %s = simt.shared 0
    simt.cp_async %s, %p, 16
    simt.cp_async_commit
    simt.cp_async_wait 0
    simt.barrier
    simt.barrier named %c1, 32
    simt.warp_barrier
    %v = simt.load %s : !llvm.ptr<3> -> i32
    simt.cluster_arrive relaxed
    simt.cluster_arrive
    simt.cluster_wait
    %peer = simt.peer %s, %c0 : !llvm.ptr<7>
    simt.store %v, %peer : i32, !llvm.ptr<7>
    simt.mbarrier_init %s, 4
    simt.store_async %v, %peer, %peer : i32, !llvm.ptr<7>
    simt.mbarrier_wait %s
    simt.fence
    %old = simt.atomic_add %p, %c1
    %d = simt.mma %a, %b, %c : vector<8xf16>, vector<4xf16>, vector<4xf32>
    simt.release_dependents
    gpu.return
  }
}
