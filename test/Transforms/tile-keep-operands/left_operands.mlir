// What every iteration of a loop multiplies by is computed once, for all of the reduced dimension.
// RUN: lora-opt %s -tile-keep-operands | FileCheck %s

// CHECK-LABEL: tile.kernel @rounded
tile.kernel @rounded(%s: !tile.ptr<f32>, %b: !tile.ptr<f16>, %y: !tile.ptr<f32>, %n: i32)
    grid ["1", "1", "1"] config {KEEP = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %c100 = arith.constant 100 : i32
  %rank = arith.minsi %n, %c100 : i32
  %rows = tile.iota : tensor<16xi32>
  %S = tile.view %s sizes [%n, %rank] strides [128, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32>
  %B = tile.view %b sizes [%rank, %n] strides [1, 128] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  %Y = tile.view %y sizes [%n, %n] strides [64, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32>
  // Two steps of 64 hold the bound of 100.
  // CHECK:      tile.iota
  // CHECK:      %[[FIRST:.*]] = arith.constant 0 : i32
  // CHECK-NEXT: %[[ALL:.*]] = tile.gather %{{.*}}[%{{.*}}, %[[FIRST]]] {{.*}} -> tensor<16x128xf32>
  // CHECK-NEXT: %[[ROUNDED:.*]] = arith.truncf %[[ALL]] : tensor<16x128xf32> to tensor<16x128xf16>
  // CHECK-NEXT: scf.for
  // CHECK-NEXT:   tile.sum %[[R:[a-z0-9]*]] below
  // CHECK-NOT:      tile.gather
  // CHECK:          %[[SLICE:.*]] = tile.slice %[[ROUNDED]][%[[R]]] : tensor<16x128xf16> -> tensor<16x64xf16>
  // CHECK-NEXT:     tile.dot %[[SLICE]],
  scf.for %j = %c0 to %n step %c32 : i32 {
    %sum, %all = tile.sum %r below %rank step 64 -> tensor<16x32xf32> {
      %right = tile.load %B[%r, %j] : !tile.view<?x?xf16> -> tensor<64x32xf16>
      %exact = tile.gather %S[%rows, %r] : !tile.view<?x?xf32>, tensor<16xi32> -> tensor<16x64xf32>
      %left = arith.truncf %exact : tensor<16x64xf32> to tensor<16x64xf16>
      %product = tile.dot %left, %right : tensor<16x64xf16>, tensor<64x32xf16> -> tensor<16x32xf32>
      tile.yield %product : tensor<16x32xf32>
    }
    tile.store %sum, %Y[%c0, %j] : tensor<16x32xf32>, !tile.view<?x?xf32>
  }
  tile.return
}

// A single step may be of any width.
// CHECK-LABEL: tile.kernel @one_step
tile.kernel @one_step(%s: !tile.ptr<f16>, %b: !tile.ptr<f16>, %y: !tile.ptr<f32>, %n: i32)
    grid ["1", "1", "1"] config {KEEP = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %rank = arith.minsi %n, %c32 : i32
  %rows = tile.iota : tensor<16xi32>
  %S = tile.view %s sizes [%n, %rank] strides [128, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  %B = tile.view %b sizes [%rank, %n] strides [1, 128] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  %Y = tile.view %y sizes [%n, %n] strides [64, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32>
  // CHECK:      tile.gather %{{.*}} {alignment = 8 : i64} {{.*}} -> tensor<16x32xf16>
  // CHECK-NEXT: scf.for
  // CHECK:      tile.slice %{{.*}} : tensor<16x32xf16> -> tensor<16x32xf16>
  scf.for %j = %c0 to %n step %c32 : i32 {
    %sum, %all = tile.sum %r below %rank step 32 -> tensor<16x32xf32> {
      %left = tile.gather %S[%rows, %r] {alignment = 8 : i64, in_bounds = array<i1: false, true>}
          : !tile.view<?x?xf16>, tensor<16xi32> -> tensor<16x32xf16>
      %right = tile.load %B[%r, %j] : !tile.view<?x?xf16> -> tensor<32x32xf16>
      %product = tile.dot %left, %right : tensor<16x32xf16>, tensor<32x32xf16> -> tensor<16x32xf32>
      tile.yield %product : tensor<16x32xf32>
    }
    tile.store %sum, %Y[%c0, %j] : tensor<16x32xf32>, !tile.view<?x?xf32>
  }
  tile.return
}
