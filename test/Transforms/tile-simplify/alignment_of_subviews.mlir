// A fixed coordinate counts with its stride.
// RUN: lora-opt %s -tile-simplify | FileCheck %s

// CHECK-LABEL: tile.kernel @subviews
tile.kernel @subviews(%x: !tile.ptr<f32>, %n: i32, %good: i64, %bad: i64)
    assuming ["x % 16 == 0", "n % 4 == 0", "good % 4 == 0"] grid ["1", "1", "1"] {
  %c0 = arith.constant 0 : i32
  %i = tile.program_id x : i32
  %X = tile.view %x sizes [%n, %n] strides [%good, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32>
  %row = tile.subview %X[%i] : !tile.view<?x?xf32> -> !tile.view<?xf32>
  // CHECK: tile.load %{{.*}} {alignment = 16 : i64
  %0 = tile.load %row[%c0] : !tile.view<?xf32> -> tensor<64xf32>
  %Y = tile.view %x sizes [%n, %n] strides [%bad, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32>
  %other = tile.subview %Y[%i] : !tile.view<?x?xf32> -> !tile.view<?xf32>
  // CHECK: tile.load %{{.*}} {alignment = 4 : i64
  %1 = tile.load %other[%c0] : !tile.view<?xf32> -> tensor<64xf32>
  tile.return
}
