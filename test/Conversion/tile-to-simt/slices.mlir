// A tile that slices are taken of goes to a place of its own in shared memory as soon as it is there.
// RUN: lora-opt %s -tile-to-simt -canonicalize -cse | FileCheck %s

#wide = #tile.layout<register = [[0, 1], [0, 2], [0, 4], [0, 64], [8, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0]]>
#half = #tile.layout<register = [[0, 1], [0, 2], [0, 4], [0, 32], [8, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[0, 0]]>

// 16 x 128 x 2 bytes, of which a slice takes 64 columns.
// CHECK-LABEL: gpu.func @in_a_loop
// CHECK-SAME:  simt.shared_bytes = 4096
tile.kernel @in_a_loop(%x: !tile.ptr<f16>, %y: !tile.ptr<f16>, %n: i32) grid ["1", "1", "1"]
    config {WARPS = 2 : i64} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %c128 = arith.constant 128 : i32
  %X = tile.view %x sizes [%n, %n] strides [128, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  %Y = tile.view %y sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  // CHECK:         %[[PLACE:.*]] = simt.shared 0
  // CHECK-NOT:     simt.barrier
  // CHECK-COUNT-4: simt.store %{{.*}} : vector<8xf16>, !llvm.ptr<3>
  // CHECK-NEXT:    simt.barrier
  %tile = tile.load %X[%c0, %c0] {alignment = 16 : i64} : !tile.view<?x?xf16> -> tensor<16x128xf16, #wide>
  // CHECK:         scf.for %[[COLUMN:.*]] = %c0_i32 to %c128_i32
  // CHECK:         %[[BYTES:.*]] = arith.muli %[[COLUMN]], %c2_i32
  // CHECK:         %[[FIRST:.*]] = llvm.getelementptr %[[PLACE]][%[[BYTES]]]
  // CHECK:         llvm.getelementptr %[[FIRST]][
  // CHECK-COUNT-4: simt.load %{{.*}} : !llvm.ptr<3> -> vector<8xf16>
  // CHECK-NOT:     simt.barrier
  scf.for %c = %c0 to %c128 step %c64 : i32 {
    %slice = tile.slice %tile[%c] : tensor<16x128xf16, #wide> -> tensor<16x64xf16, #half>
    tile.store %slice, %Y[%c0, %c] {alignment = 16 : i64} : tensor<16x64xf16, #half>, !tile.view<?x?xf16>
  }
  tile.return
}

// The slices of one iteration are read before the tile of the next is written.
// CHECK-LABEL: gpu.func @of_a_loop
tile.kernel @of_a_loop(%x: !tile.ptr<f16>, %y: !tile.ptr<f16>, %n: i32) grid ["1", "1", "1"]
    config {WARPS = 2 : i64} {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %X = tile.view %x sizes [%n, %n] strides [128, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  %Y = tile.view %y sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  // CHECK:         scf.for
  // CHECK:         simt.barrier
  // CHECK-COUNT-4: simt.store %{{.*}} : vector<8xf16>, !llvm.ptr<3>
  // CHECK-NEXT:    simt.barrier
  // CHECK-COUNT-4: simt.load %{{.*}} : !llvm.ptr<3> -> vector<8xf16>
  scf.for %i = %c0 to %n step %c16 : i32 {
    %tile = tile.load %X[%i, %c0] {alignment = 16 : i64} : !tile.view<?x?xf16> -> tensor<16x128xf16, #wide>
    %slice = tile.slice %tile[%c0] : tensor<16x128xf16, #wide> -> tensor<16x64xf16, #half>
    tile.store %slice, %Y[%i, %c0] {alignment = 16 : i64} : tensor<16x64xf16, #half>, !tile.view<?x?xf16>
  }
  tile.return
}
