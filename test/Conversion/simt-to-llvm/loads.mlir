// Loads are plain where nothing is asked of them, and PTX where there is a predicate or a hint. PTX
// stays in the order of the kernel.
// RUN: lora-opt %s --pass-pipeline="builtin.module(gpu.module(convert-scf-to-cf,simt-to-llvm))" | FileCheck %s

gpu.module @m {
  // CHECK-LABEL: llvm.func @plain
  gpu.func @plain(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>) kernel {
    // CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xf16>
    %0 = simt.load %p : !llvm.ptr<1> -> vector<8xf16>
    simt.store %0, %q : vector<8xf16>, !llvm.ptr<1>
    gpu.return
  }

  // CHECK-LABEL: llvm.func @read_only
  gpu.func @read_only(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>) kernel {
    // CHECK: has_side_effects
    // CHECK-SAME: "ld.global.nc.v4.b32 {$0, $1, $2, $3}, [$4];", "=r,=r,=r,=r,l,~{memory}"
    %0 = simt.load %p {hint = 1 : i32} : !llvm.ptr<1> -> vector<8xf16>
    simt.store %0, %q : vector<8xf16>, !llvm.ptr<1>
    gpu.return
  }

  // CHECK-LABEL: llvm.func @streaming
  gpu.func @streaming(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>) kernel {
    // CHECK: "ld.global.nc.L1::no_allocate.v2.b32 {$0, $1}, [$2];"
    %0 = simt.load %p {hint = 2 : i32} : !llvm.ptr<1> -> vector<4xbf16>
    simt.store %0, %q : vector<4xbf16>, !llvm.ptr<1>
    gpu.return
  }

  // The result is cleared, and then read over where the predicate is true.
  // CHECK-LABEL: llvm.func @predicated
  gpu.func @predicated(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>, %inside: i1) kernel {
    // CHECK: has_side_effects
    // CHECK-SAME: "mov.b32 $0, 0;\0A@$2 ld.global.b32 $0, [$1];", "=&r,l,b,~{memory}"
    %0 = simt.load %p if %inside : !llvm.ptr<1> -> f32
    simt.store %0, %q : f32, !llvm.ptr<1>
    gpu.return
  }

  // CHECK-LABEL: llvm.func @half
  gpu.func @half(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>, %inside: i1) kernel {
    // CHECK: "mov.b16 $0, 0;\0A@$2 ld.global.nc.b16 $0, [$1];", "=&h,l,b,~{memory}"
    %0 = simt.load %p if %inside {hint = 1 : i32} : !llvm.ptr<1> -> f16
    simt.store %0, %q : f16, !llvm.ptr<1>
    gpu.return
  }

  // CHECK-LABEL: llvm.func @shared
  gpu.func @shared(%q: !llvm.ptr<1>, %inside: i1) kernel {
    // CHECK: %[[BASE:.*]] = llvm.mlir.addressof @simt_shared
    // CHECK: llvm.getelementptr %[[BASE]][256]
    %p = simt.shared 256
    // CHECK: llvm.ptrtoint
    // CHECK: "mov.b32 $0, 0;\0A@$2 ld.shared.b32 $0, [$1];", "=&r,r,b,~{memory}"
    %0 = simt.load %p if %inside : !llvm.ptr<3> -> i32
    simt.store %0, %q : i32, !llvm.ptr<1>
    gpu.return
  }

  // CHECK-LABEL: llvm.func @pointer
  gpu.func @pointer(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>) kernel {
    // CHECK: "ld.global.nc.v2.b32 {$0, $1}, [$2];"
    // CHECK: llvm.inttoptr %{{.*}} : i64 to !llvm.ptr<1>
    %0 = simt.load %p {hint = 1 : i32} : !llvm.ptr<1> -> !llvm.ptr<1>
    simt.store %q, %0 : !llvm.ptr<1>, !llvm.ptr<1>
    gpu.return
  }
}
