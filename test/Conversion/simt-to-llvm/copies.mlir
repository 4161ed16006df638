// 16 bytes bypass the first level cache. Without its predicate a copy reads nothing and fills zeros.
// RUN: lora-opt %s --pass-pipeline="builtin.module(gpu.module(convert-scf-to-cf,simt-to-llvm))" | FileCheck %s

gpu.module @m {
  // CHECK-LABEL: llvm.func @copies
  gpu.func @copies(%source: !llvm.ptr<1>, %inside: i1) kernel {
    %p = simt.shared 0
    // CHECK: "cp.async.cg.shared.global [$0], [$1], 16;", "r,l,~{memory}"
    simt.cp_async %p, %source, 16
    // CHECK: %[[BYTES:.*]] = llvm.mlir.constant(4 : i32)
    // CHECK: %[[NONE:.*]] = llvm.mlir.constant(0 : i32)
    // CHECK: %[[SIZE:.*]] = llvm.select %{{.*}}, %[[BYTES]], %[[NONE]]
    // CHECK: "cp.async.ca.shared.global [$0], [$1], 4, $2;", "r,l,r,~{memory}" %{{.*}}, %{{.*}}, %[[SIZE]]
    simt.cp_async %p, %source, 4 if %inside
    // CHECK: "cp.async.commit_group;", "~{memory}"
    simt.cp_async_commit
    // CHECK: "cp.async.wait_group 2;", "~{memory}"
    simt.cp_async_wait 2
    gpu.return
  }
}
