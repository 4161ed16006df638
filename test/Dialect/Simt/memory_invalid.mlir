// RUN: lora-opt %s -verify-diagnostics -split-input-file

llvm.func @load(%global: !llvm.ptr<1>) {
  // expected-error@+1 {{expected a value of 1, 2, 4, 8 or 16 bytes, got 'vector<3xf32>'}}
  %0 = simt.load %global : !llvm.ptr<1> -> vector<3xf32>
  llvm.return
}

// -----

llvm.func @load(%global: !llvm.ptr<1>) {
  // expected-error@+1 {{expected a value of 1, 2, 4, 8 or 16 bytes, got 'vector<8xf32>'}}
  %0 = simt.load %global : !llvm.ptr<1> -> vector<8xf32>
  llvm.return
}

// -----

llvm.func @load(%global: !llvm.ptr<1>) {
  // expected-error@+1 {{expected a value of 1, 2, 4, 8 or 16 bytes, got 'index'}}
  %0 = simt.load %global : !llvm.ptr<1> -> index
  llvm.return
}

// -----

llvm.func @load(%global: !llvm.ptr<1>) {
  // expected-error@+1 {{expected a value of 1, 2, 4, 8 or 16 bytes, got 'i1'}}
  %0 = simt.load %global : !llvm.ptr<1> -> i1
  llvm.return
}

// -----

llvm.func @load(%generic: !llvm.ptr) {
  // expected-error@+1 {{operand #0 must be LLVM pointer in address space 1 or LLVM pointer in address space 3 or LLVM pointer in address space 7, but got '!llvm.ptr'}}
  %0 = simt.load %generic : !llvm.ptr -> f32
  llvm.return
}

// -----

llvm.func @load(%shared: !llvm.ptr<3>) {
  // expected-error@+1 {{expected a global address with cache hint 'read_only', got '!llvm.ptr<3>'}}
  %0 = simt.load %shared {hint = 1 : i32} : !llvm.ptr<3> -> f32
  llvm.return
}

// -----

llvm.func @store(%global: !llvm.ptr<1>, %value: vector<3xf16>) {
  // expected-error@+1 {{expected a value of 1, 2, 4, 8 or 16 bytes, got 'vector<3xf16>'}}
  simt.store %value, %global : vector<3xf16>, !llvm.ptr<1>
  llvm.return
}

// -----

llvm.func @atomic_add(%shared: !llvm.ptr<3>, %value: i32) {
  // expected-error@+1 {{operand #0 must be LLVM pointer in address space 1, but got '!llvm.ptr<3>'}}
  %0 = "simt.atomic_add"(%shared, %value) : (!llvm.ptr<3>, i32) -> i32
  llvm.return
}

// -----

llvm.func @shared() {
  // expected-error@+1 {{attribute 'offset' failed to satisfy constraint: 32-bit signless integer attribute whose value is non-negative}}
  %0 = simt.shared -16
  llvm.return
}
