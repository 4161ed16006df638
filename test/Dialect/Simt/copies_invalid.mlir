// RUN: lora-opt %s -verify-diagnostics -split-input-file

llvm.func @width(%shared: !llvm.ptr<3>, %global: !llvm.ptr<1>) {
  // expected-error@+1 {{expected 4, 8 or 16 bytes, got 2}}
  simt.cp_async %shared, %global, 2
  llvm.return
}

// -----

llvm.func @direction(%shared: !llvm.ptr<3>, %global: !llvm.ptr<1>) {
  // expected-error@+1 {{operand #0 must be LLVM pointer in address space 3, but got '!llvm.ptr<1>'}}
  "simt.cp_async"(%global, %shared) {bytes = 16 : i32} : (!llvm.ptr<1>, !llvm.ptr<3>) -> ()
  llvm.return
}

// -----

llvm.func @pending() {
  // expected-error@+1 {{attribute 'pending' failed to satisfy constraint: 32-bit signless integer attribute whose value is non-negative}}
  simt.cp_async_wait -1
  llvm.return
}
