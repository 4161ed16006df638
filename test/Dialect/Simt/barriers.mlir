// RUN: lora-opt %s | lora-opt | FileCheck %s
// RUN: lora-opt %s -mlir-print-op-generic | lora-opt | FileCheck %s

// CHECK-LABEL: llvm.func @barriers
llvm.func @barriers(%id: i32) {
  // CHECK:      simt.barrier{{$}}
  // CHECK-NEXT: simt.barrier named %{{.*}}, 64
  // CHECK-NEXT: simt.warp_barrier
  simt.barrier
  simt.barrier named %id, 64
  simt.warp_barrier
  llvm.return
}
