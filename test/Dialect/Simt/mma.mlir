// RUN: lora-opt %s | lora-opt | FileCheck %s
// RUN: lora-opt %s -mlir-print-op-generic | lora-opt | FileCheck %s

// CHECK-LABEL: llvm.func @half
llvm.func @half(%a: vector<8xf16>, %b: vector<4xf16>, %c: vector<4xf32>) {
  // CHECK: simt.mma %{{.*}}, %{{.*}}, %{{.*}} : vector<8xf16>, vector<4xf16>, vector<4xf32>
  %0 = simt.mma %a, %b, %c : vector<8xf16>, vector<4xf16>, vector<4xf32>
  llvm.return
}

// CHECK-LABEL: llvm.func @bfloat
llvm.func @bfloat(%a: vector<8xbf16>, %b: vector<4xbf16>, %c: vector<4xf32>) {
  // CHECK: simt.mma %{{.*}}, %{{.*}}, %{{.*}} : vector<8xbf16>, vector<4xbf16>, vector<4xf32>
  %0 = simt.mma %a, %b, %c : vector<8xbf16>, vector<4xbf16>, vector<4xf32>
  llvm.return
}

// CHECK-LABEL: llvm.func @single_as_tf32
llvm.func @single_as_tf32(%a: vector<4xf32>, %b: vector<2xf32>, %c: vector<4xf32>) {
  // CHECK: simt.mma %{{.*}}, %{{.*}}, %{{.*}} : vector<4xf32>, vector<2xf32>, vector<4xf32>
  %0 = simt.mma %a, %b, %c : vector<4xf32>, vector<2xf32>, vector<4xf32>
  llvm.return
}
