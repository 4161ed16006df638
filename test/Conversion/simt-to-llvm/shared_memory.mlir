// The shared buffer has no size of its own: the launch gives it.
// RUN: lora-opt %s --pass-pipeline="builtin.module(gpu.module(convert-scf-to-cf,simt-to-llvm))" | FileCheck %s

// CHECK: llvm.mlir.global external @simt_shared() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<0 x i8>
gpu.module @m {
}
