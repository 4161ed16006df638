// RUN: lora-opt %s --pass-pipeline="builtin.module(gpu.module(convert-scf-to-cf,simt-to-llvm))" | FileCheck %s

gpu.module @m {
  // CHECK-LABEL: llvm.func @count
  gpu.func @count(%counter: !llvm.ptr<1>, %one: i32) kernel {
    // CHECK: has_side_effects
    // CHECK-SAME: "fence.acq_rel.gpu;", "~{memory}"
    simt.fence
    // CHECK: has_side_effects
    // CHECK-SAME: "atom.acq_rel.gpu.global.add.u32 $0, [$1], $2;", "=r,l,r,~{memory}"
    %old = simt.atomic_add %counter, %one
    simt.store %old, %counter : i32, !llvm.ptr<1>
    gpu.return
  }
}
