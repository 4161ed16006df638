// Stores are plain, or PTX where there is a predicate.
// RUN: lora-opt %s --pass-pipeline="builtin.module(gpu.module(convert-scf-to-cf,simt-to-llvm))" | FileCheck %s

gpu.module @m {
  // CHECK-LABEL: llvm.func @plain
  gpu.func @plain(%value: vector<4xf32>, %p: !llvm.ptr<1>) kernel {
    // CHECK: llvm.store %{{.*}}, %{{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
    simt.store %value, %p : vector<4xf32>, !llvm.ptr<1>
    gpu.return
  }

  // CHECK-LABEL: llvm.func @predicated
  gpu.func @predicated(%value: vector<8xbf16>, %p: !llvm.ptr<1>, %inside: i1) kernel {
    // CHECK: has_side_effects
    // CHECK-SAME: "@$1 st.global.v4.b32 [$0], {$2, $3, $4, $5};", "l,b,r,r,r,r,~{memory}"
    simt.store %value, %p if %inside : vector<8xbf16>, !llvm.ptr<1>
    gpu.return
  }

  // CHECK-LABEL: llvm.func @shared
  gpu.func @shared(%value: f16, %inside: i1) kernel {
    %p = simt.shared 0
    // CHECK: "@$1 st.shared.b16 [$0], $2;", "r,b,h,~{memory}"
    simt.store %value, %p if %inside : f16, !llvm.ptr<3>
    gpu.return
  }
}
