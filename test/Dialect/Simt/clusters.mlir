// RUN: lora-opt %s | lora-opt | FileCheck %s
// RUN: lora-opt %s -mlir-print-op-generic | lora-opt | FileCheck %s

// CHECK-LABEL: llvm.func @peer
llvm.func @peer(%rank: i32, %value: f32) {
  %mine = simt.shared 0
  // CHECK:      %[[PEER:.*]] = simt.peer %{{.*}}, %{{.*}} : !llvm.ptr<7>
  // CHECK-NEXT: simt.store %{{.*}}, %[[PEER]] : f32, !llvm.ptr<7>
  %peer = simt.peer %mine, %rank : !llvm.ptr<7>
  simt.store %value, %peer : f32, !llvm.ptr<7>
  llvm.return
}

// CHECK-LABEL: llvm.func @barriers
llvm.func @barriers() {
  // CHECK:      simt.cluster_arrive relaxed
  // CHECK-NEXT: simt.cluster_wait
  // CHECK-NEXT: simt.cluster_arrive
  // CHECK-NEXT: simt.cluster_wait
  simt.cluster_arrive relaxed
  simt.cluster_wait
  simt.cluster_arrive
  simt.cluster_wait
  llvm.return
}

// CHECK-LABEL: llvm.func @dependent_launch
llvm.func @dependent_launch() {
  // CHECK:      simt.release_dependents
  // CHECK-NEXT: simt.await_predecessors
  simt.release_dependents
  simt.await_predecessors
  llvm.return
}
