// Aligned memory that the kernel does not write is read 16 bytes at a time, as read-only.
// RUN: lora-opt %s -tile-simplify -tile-schedule -tile-assign-layouts -cse -tile-to-simt -canonicalize -cse \
// RUN:   | FileCheck %s

// CHECK-LABEL: gpu.func @copy
tile.kernel @copy(%x: !tile.ptr<f16>, %y: !tile.ptr<f16>, %n: i32)
    assuming ["x % 16 == 0", "y % 16 == 0", "n % 8 == 0"] grid ["1", "1", "1"]
    config {WARPS = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n] strides [1] : !tile.ptr<f16> -> !tile.view<?xf16>
  %Y = tile.view %y sizes [%n] strides [1] : !tile.ptr<f16> -> !tile.view<?xf16>
  // CHECK-COUNT-2: simt.load %{{.*}} if %{{.*}} {hint = 1 : i32} : !llvm.ptr<1> -> vector<8xf16>
  // CHECK-NOT:     simt.load
  %tile = tile.load %X[%c0] : !tile.view<?xf16> -> tensor<512xf16>
  // CHECK-COUNT-2: simt.store %{{.*}}, %{{.*}} if %{{.*}} : vector<8xf16>, !llvm.ptr<1>
  // CHECK-NOT:     simt.store
  tile.store %tile, %Y[%c0] : tensor<512xf16>, !tile.view<?xf16>
  tile.return
}
