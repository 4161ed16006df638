// Pairs of 16-bit elements travel in one register; f32 is rounded to tf32, to nearest.
// RUN: lora-opt %s --pass-pipeline="builtin.module(gpu.module(convert-scf-to-cf,simt-to-llvm))" | FileCheck %s

gpu.module @m {
  // CHECK-LABEL: llvm.func @half
  gpu.func @half(%a: vector<8xf16>, %b: vector<4xf16>, %c: vector<4xf32>, %p: !llvm.ptr<1>) kernel {
    // CHECK: llvm.bitcast %{{.*}} : vector<8xf16> to vector<4xi32>
    // CHECK: llvm.bitcast %{{.*}} : vector<4xf16> to vector<2xi32>
    // CHECK: "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {$0, $1, $2, $3}, {$4, $5, $6, $7}, {$8, $9}, {$10, $11, $12, $13};", "=f,=f,=f,=f,r,r,r,r,r,r,f,f,f,f"
    %0 = simt.mma %a, %b, %c : vector<8xf16>, vector<4xf16>, vector<4xf32>
    simt.store %0, %p : vector<4xf32>, !llvm.ptr<1>
    gpu.return
  }

  // CHECK-LABEL: llvm.func @bfloat
  gpu.func @bfloat(%a: vector<8xbf16>, %b: vector<4xbf16>, %c: vector<4xf32>, %p: !llvm.ptr<1>) kernel {
    // CHECK: "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
    %0 = simt.mma %a, %b, %c : vector<8xbf16>, vector<4xbf16>, vector<4xf32>
    simt.store %0, %p : vector<4xf32>, !llvm.ptr<1>
    gpu.return
  }

  // CHECK-LABEL: llvm.func @single
  gpu.func @single(%a: vector<4xf32>, %b: vector<2xf32>, %c: vector<4xf32>, %p: !llvm.ptr<1>) kernel {
    // CHECK-COUNT-6: "cvt.rna.tf32.f32 $0, $1;", "=r,r"
    // CHECK: "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
    %0 = simt.mma %a, %b, %c : vector<4xf32>, vector<2xf32>, vector<4xf32>
    simt.store %0, %p : vector<4xf32>, !llvm.ptr<1>
    gpu.return
  }
}
