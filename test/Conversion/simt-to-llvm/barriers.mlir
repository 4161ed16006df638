// RUN: lora-opt %s --pass-pipeline="builtin.module(gpu.module(convert-scf-to-cf,simt-to-llvm))" | FileCheck %s

gpu.module @m {
  // CHECK-LABEL: llvm.func @barriers
  gpu.func @barriers(%id: i32) kernel {
    // CHECK: nvvm.barrier0
    simt.barrier
    // CHECK: "barrier.sync $0, 64;", "r,~{memory}"
    simt.barrier named %id, 64
    // CHECK: "bar.warp.sync 0xffffffff;", "~{memory}"
    simt.warp_barrier
    gpu.return
  }
}
