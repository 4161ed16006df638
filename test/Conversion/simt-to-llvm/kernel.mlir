// A gpu.func becomes an entry with a known number of threads; nothing but llvm and nvvm is left.
// RUN: lora-opt %s --pass-pipeline="builtin.module(gpu.module(convert-scf-to-cf,simt-to-llvm))" | FileCheck %s

gpu.module @m {
  // CHECK:     llvm.func @kernel(%{{.*}}: !llvm.ptr<1>, %{{.*}}: i32)
  // CHECK-SAME: nvvm.kernel
  // CHECK-SAME: nvvm.maxntid = array<i32: 128, 1, 1>
  gpu.func @kernel(%p: !llvm.ptr<1>, %n: i32) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    // CHECK: nvvm.read.ptx.sreg.ctaid.x
    %block = nvvm.read.ptx.sreg.ctaid.x : i32
    // CHECK: llvm.intr.smax
    %most = arith.maxsi %n, %block : i32
    %some = arith.cmpi slt, %block, %n : i32
    // CHECK: llvm.cond_br
    // CHECK-NOT: scf
    scf.if %some {
      simt.store %most, %p : i32, !llvm.ptr<1>
    }
    // CHECK: llvm.return
    gpu.return
  }
}
