// RUN: lora-opt %s | lora-opt | FileCheck %s
// RUN: lora-opt %s -mlir-print-op-generic | lora-opt | FileCheck %s

// CHECK-LABEL: llvm.func @copies
llvm.func @copies(%shared: !llvm.ptr<3>, %global: !llvm.ptr<1>, %inside: i1) {
  // CHECK:      simt.cp_async %{{.*}}, %{{.*}}, 16
  // CHECK-NEXT: simt.cp_async %{{.*}}, %{{.*}}, 4 if %{{.*}}
  // CHECK-NEXT: simt.cp_async_commit
  // CHECK-NEXT: simt.cp_async_wait 2
  simt.cp_async %shared, %global, 16
  simt.cp_async %shared, %global, 4 if %inside
  simt.cp_async_commit
  simt.cp_async_wait 2
  llvm.return
}
