// How far coordinates are divisible follows from constants and arithmetic.
// RUN: lora-opt %s -tile-simplify | FileCheck %s

// CHECK-LABEL: tile.kernel @coordinates
tile.kernel @coordinates(%x: !tile.ptr<f32>, %n: i32)
    assuming ["x % 16 == 0", "n % 4 == 0"] grid ["1", "1", "1"] {
  %c2 = arith.constant 2 : i32
  %c64 = arith.constant 64 : i32
  %id = tile.program_id x : i32
  %block = arith.muli %id, %c64 : i32
  %inside = arith.addi %block, %c2 : i32
  %less = arith.subi %block, %c64 : i32
  %even = tile.assume_divisible %id by 2 : i32
  %condition = arith.cmpi eq, %id, %c2 : i32
  %either = arith.select %condition, %block, %even : i32
  %X = tile.view %x sizes [%n] strides [1] : !tile.ptr<f32> -> !tile.view<?xf32>
  // CHECK: tile.load %{{.*}}[%[[ID:.*]]] {alignment = 4 : i64
  %0 = tile.load %X[%id] : !tile.view<?xf32> -> tensor<64xf32>
  // CHECK: tile.load %{{.*}} {alignment = 16 : i64
  %1 = tile.load %X[%block] : !tile.view<?xf32> -> tensor<64xf32>
  // CHECK: tile.load %{{.*}} {alignment = 8 : i64
  %2 = tile.load %X[%inside] : !tile.view<?xf32> -> tensor<64xf32>
  // CHECK: tile.load %{{.*}} {alignment = 16 : i64
  %3 = tile.load %X[%less] : !tile.view<?xf32> -> tensor<64xf32>
  // CHECK: tile.load %{{.*}} {alignment = 8 : i64
  %4 = tile.load %X[%even] : !tile.view<?xf32> -> tensor<64xf32>
  // CHECK: tile.load %{{.*}} {alignment = 8 : i64
  %5 = tile.load %X[%either] : !tile.view<?xf32> -> tensor<64xf32>
  tile.return
}
