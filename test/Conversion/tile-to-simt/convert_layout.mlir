// A change of layout goes through shared memory, with a barrier between the stores and the loads, and
// one before the stores unless nothing can have used that memory yet; a change that only renumbers
// the registers of each thread costs nothing.
// RUN: lora-opt %s -tile-to-simt -canonicalize -cse | FileCheck %s

#rows = #tile.layout<register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#columns = #tile.layout<register = [[4, 0]], lane = [[1, 0], [2, 0], [0, 1], [0, 2], [0, 4]], warp = []>
#few = #tile.layout<register = [[0, 1], [0, 2]], lane = [[0, 4], [1, 0], [2, 0], [4, 0], [8, 0]], warp = []>
#other = #tile.layout<register = [[0, 2], [0, 1]], lane = [[0, 4], [1, 0], [2, 0], [4, 0], [8, 0]], warp = []>

// CHECK-LABEL: gpu.func @through_shared
// CHECK-SAME:  simt.shared_bytes = 256
tile.kernel @through_shared(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32) grid ["1", "1", "1"]
    config {WARPS = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32>
  %Y = tile.view %y sizes [%n, %n] strides [64, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32>
  %tile = tile.load %X[%c0, %c0] : !tile.view<?x?xf32> -> tensor<8x8xf32, #rows>
  // CHECK-NOT:     simt.barrier
  // CHECK:         simt.store %{{.*}} : vector<2xf32>, !llvm.ptr<3>
  // CHECK-NEXT:    simt.barrier
  // CHECK-COUNT-2: simt.load %{{.*}} : !llvm.ptr<3> -> f32
  // CHECK-NOT:     simt.barrier
  // CHECK:         gpu.return
  %converted = tile.convert_layout %tile : tensor<8x8xf32, #rows> -> tensor<8x8xf32, #columns>
  tile.store %converted, %Y[%c0, %c0] : tensor<8x8xf32, #columns>, !tile.view<?x?xf32>
  tile.return
}

// What was written first may still be read when the second conversion begins.
// CHECK-LABEL: gpu.func @second
tile.kernel @second(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32) grid ["1", "1", "1"]
    config {WARPS = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32>
  %Y = tile.view %y sizes [%n, %n] strides [64, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32>
  %tile = tile.load %X[%c0, %c0] : !tile.view<?x?xf32> -> tensor<8x8xf32, #rows>
  // CHECK-NOT:     simt.barrier
  // CHECK:         simt.store %{{.*}} : vector<2xf32>, !llvm.ptr<3>
  // CHECK-NEXT:    simt.barrier
  // CHECK-COUNT-2: simt.load %{{.*}} : !llvm.ptr<3> -> f32
  // CHECK:         simt.barrier
  // CHECK-COUNT-2: simt.store %{{.*}} : f32, !llvm.ptr<3>
  // CHECK:         simt.barrier
  // CHECK:         simt.load %{{.*}} : !llvm.ptr<3> -> vector<2xf32>
  %converted = tile.convert_layout %tile : tensor<8x8xf32, #rows> -> tensor<8x8xf32, #columns>
  %twice = arith.addf %converted, %converted : tensor<8x8xf32, #columns>
  %back = tile.convert_layout %twice : tensor<8x8xf32, #columns> -> tensor<8x8xf32, #rows>
  tile.store %back, %Y[%c0, %c0] : tensor<8x8xf32, #rows>, !tile.view<?x?xf32>
  tile.return
}

// So may what an iteration before has written.
// CHECK-LABEL: gpu.func @in_a_loop
tile.kernel @in_a_loop(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32) grid ["1", "1", "1"]
    config {WARPS = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %c8 = arith.constant 8 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32>
  %Y = tile.view %y sizes [%n, %n] strides [64, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32>
  // CHECK:         scf.for
  // CHECK:         simt.barrier
  // CHECK:         simt.store %{{.*}} : vector<2xf32>, !llvm.ptr<3>
  // CHECK-NEXT:    simt.barrier
  // CHECK-COUNT-2: simt.load %{{.*}} : !llvm.ptr<3> -> f32
  scf.for %i = %c0 to %n step %c8 : i32 {
    %tile = tile.load %X[%i, %c0] : !tile.view<?x?xf32> -> tensor<8x8xf32, #rows>
    %converted = tile.convert_layout %tile : tensor<8x8xf32, #rows> -> tensor<8x8xf32, #columns>
    tile.store %converted, %Y[%i, %c0] : tensor<8x8xf32, #columns>, !tile.view<?x?xf32>
  }
  tile.return
}

// CHECK-LABEL: gpu.func @renumbered
// CHECK-SAME:  simt.shared_bytes = 0
tile.kernel @renumbered(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32) grid ["1", "1", "1"]
    config {WARPS = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32>
  %Y = tile.view %y sizes [%n, %n] strides [64, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32>
  %tile = tile.load %X[%c0, %c0] : !tile.view<?x?xf32> -> tensor<16x8xf32, #few>
  // CHECK-NOT: simt.shared
  // CHECK-NOT: simt.barrier
  // CHECK:     gpu.return
  %converted = tile.convert_layout %tile : tensor<16x8xf32, #few> -> tensor<16x8xf32, #other>
  tile.store %converted, %Y[%c0, %c0] : tensor<16x8xf32, #other>, !tile.view<?x?xf32>
  tile.return
}
