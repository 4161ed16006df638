// With two stages and no ring, the operands of two blocks are under way in registers.
// RUN: lora-opt %s -tile-simplify -tile-schedule -tile-assign-layouts -cse -tile-to-simt -canonicalize -cse \
// RUN:   | FileCheck %s

module attributes {tile.target = "sm_90a"} {
// CHECK-LABEL: gpu.func @product
// CHECK-SAME:  (%[[X:[^:]*]]: !llvm.ptr<1>, %[[W:[^:]*]]: !llvm.ptr<1>, %[[Y:[^:]*]]: !llvm.ptr<1>
// The weights of both blocks are requested before the wait, their activations right behind it.
// CHECK:       llvm.getelementptr %[[W]]
// CHECK-COUNT-4: simt.load %{{.*}} : !llvm.ptr<1> -> vector<8xf16>
// CHECK-NOT:   simt.load
// CHECK:       simt.await_predecessors
// CHECK:       llvm.getelementptr %[[X]]
// CHECK-COUNT-4: simt.load %{{.*}} : !llvm.ptr<1> -> vector<8xf16>
// CHECK-NOT:   simt.load
// CHECK:       scf.for %[[K:.*]] = %{{.*}} to %[[END:.*]] step %c64_i32
// Each block is used, and the operands of the next but one take its registers.
// CHECK-NOT:   simt.load
// CHECK:       %[[THIRD:.*]] = arith.addi %[[K]], %c64_i32
// CHECK:       arith.cmpi slt, %[[THIRD]], %[[END]]
// CHECK-NOT:   simt.load
// CHECK-COUNT-4: simt.mma
// CHECK-COUNT-4: simt.load %{{.*}} : !llvm.ptr<1> -> vector<8xf16>
// CHECK-NOT:   simt.load
// The second block may not exist.
// CHECK:       %[[SECOND:.*]] = arith.addi %[[K]], %c32_i32
// CHECK-NOT:   simt.load
// CHECK:       %[[EXISTS:.*]] = arith.cmpi slt, %[[SECOND]], %[[END]]
// CHECK:       scf.if %[[EXISTS]]
// CHECK-COUNT-4: simt.mma
// CHECK-COUNT-4: simt.load %{{.*}} : !llvm.ptr<1> -> vector<8xf16>
// CHECK-NOT:   simt.load
// CHECK-NOT:   simt.mma
// CHECK:       gpu.return
tile.kernel @product(%x: !tile.ptr<f16>, %w: !tile.ptr<f16>, %y: !tile.ptr<f32>, %n: i32)
    assuming ["x % 16 == 0", "w % 16 == 0", "n % 8 == 0"] awaits ["x", "y"] grid ["1", "1", "1"]
    config {WARPS = 1 : i64, STAGES = 2 : i64, RING = 0 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  %W = tile.view %w sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  %Wt = tile.transpose %W : !tile.view<?x?xf16>
  %Y = tile.view %y sizes [%n, %n] strides [64, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32>
  %sum, %mine = tile.sum %k below %n step 32 -> tensor<16x16xf32> {
    %b = tile.load %Wt[%k, %c0] : !tile.view<?x?xf16> -> tensor<32x16xf16>
    %a = tile.load %X[%c0, %k] : !tile.view<?x?xf16> -> tensor<16x32xf16>
    %product = tile.dot %a, %b : tensor<16x32xf16>, tensor<32x16xf16> -> tensor<16x16xf32>
    tile.yield %product : tensor<16x16xf32>
  }
  tile.store %sum, %Y[%c0, %c0] : tensor<16x16xf32>, !tile.view<?x?xf32>
  tile.return
}
}
