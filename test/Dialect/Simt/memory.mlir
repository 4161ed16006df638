// RUN: lora-opt %s | lora-opt | FileCheck %s
// RUN: lora-opt %s -mlir-print-op-generic | lora-opt | FileCheck %s

// CHECK-LABEL: llvm.func @shared
llvm.func @shared() {
  // CHECK: simt.shared 256
  %0 = simt.shared 256
  llvm.return
}

// CHECK-LABEL: llvm.func @load
llvm.func @load(%global: !llvm.ptr<1>, %shared: !llvm.ptr<3>, %inside: i1) {
  // CHECK:      simt.load %{{.*}} : !llvm.ptr<1> -> vector<8xf16>
  // CHECK-NEXT: simt.load %{{.*}} if %{{.*}} : !llvm.ptr<1> -> i32
  // CHECK-NEXT: simt.load %{{.*}} : !llvm.ptr<3> -> f32
  // CHECK-NEXT: simt.load %{{.*}} : !llvm.ptr<1> -> !llvm.ptr
  %0 = simt.load %global : !llvm.ptr<1> -> vector<8xf16>
  %1 = simt.load %global if %inside : !llvm.ptr<1> -> i32
  %2 = simt.load %shared : !llvm.ptr<3> -> f32
  %3 = simt.load %global : !llvm.ptr<1> -> !llvm.ptr
  llvm.return
}

// CHECK-LABEL: llvm.func @cache_hint
llvm.func @cache_hint(%global: !llvm.ptr<1>) {
  // CHECK:      simt.load %{{.*}} {hint = 1 : i32} : !llvm.ptr<1> -> vector<4xf32>
  // CHECK-NEXT: simt.load %{{.*}} {hint = 2 : i32} : !llvm.ptr<1> -> i8
  %0 = simt.load %global {hint = 1 : i32} : !llvm.ptr<1> -> vector<4xf32>
  %1 = simt.load %global {hint = 2 : i32} : !llvm.ptr<1> -> i8
  llvm.return
}

// CHECK-LABEL: llvm.func @store
llvm.func @store(%global: !llvm.ptr<1>, %shared: !llvm.ptr<3>, %inside: i1, %value: vector<4xf32>) {
  // CHECK:      simt.store %{{.*}}, %{{.*}} : vector<4xf32>, !llvm.ptr<1>
  // CHECK-NEXT: simt.store %{{.*}}, %{{.*}} if %{{.*}} : vector<4xf32>, !llvm.ptr<3>
  simt.store %value, %global : vector<4xf32>, !llvm.ptr<1>
  simt.store %value, %shared if %inside : vector<4xf32>, !llvm.ptr<3>
  llvm.return
}

// CHECK-LABEL: llvm.func @counter
llvm.func @counter(%global: !llvm.ptr<1>, %value: i32) {
  // CHECK:      simt.atomic_add %{{.*}}, %{{.*}}
  // CHECK-NEXT: simt.fence
  %0 = simt.atomic_add %global, %value
  simt.fence
  llvm.return
}
