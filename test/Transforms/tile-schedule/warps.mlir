// Warps share the rows of the product first, 16 each, then its columns, as long as operands go straight
// to registers.
// RUN: lora-opt %s -tile-schedule | FileCheck %s

// CHECK-LABEL: tile.kernel @rows
tile.kernel @rows(%x: !tile.ptr<f16>, %n: i32) grid ["1", "1", "1"]
    config {WARPS = 4 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  // CHECK: tile.sum %{{.*}} schedule #tile.schedule<path = direct, stages = 1, warps = [4, 1, 1], split = none>
  %sum, %all = tile.sum %k below %n step 32 -> tensor<64x32xf32> {
    %a = tile.load %X[%c0, %k] : !tile.view<?x?xf16> -> tensor<64x32xf16>
    %b = tile.load %X[%k, %c0] : !tile.view<?x?xf16> -> tensor<32x32xf16>
    %product = tile.dot %a, %b : tensor<64x32xf16>, tensor<32x32xf16> -> tensor<64x32xf32>
    tile.yield %product : tensor<64x32xf32>
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @columns
tile.kernel @columns(%x: !tile.ptr<f16>, %n: i32) grid ["1", "1", "1"]
    config {WARPS = 4 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  // CHECK: tile.sum %{{.*}} schedule #tile.schedule<path = direct, stages = 1, warps = [1, 4, 1], split = none>
  %sum, %all = tile.sum %k below %n step 32 -> tensor<16x32xf32> {
    %a = tile.load %X[%c0, %k] : !tile.view<?x?xf16> -> tensor<16x32xf16>
    %b = tile.load %X[%k, %c0] : !tile.view<?x?xf16> -> tensor<32x32xf16>
    %product = tile.dot %a, %b : tensor<16x32xf16>, tensor<32x32xf16> -> tensor<16x32xf32>
    tile.yield %product : tensor<16x32xf32>
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @rows_and_columns
tile.kernel @rows_and_columns(%x: !tile.ptr<f16>, %n: i32) grid ["1", "1", "1"]
    config {WARPS = 8 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  // CHECK: tile.sum %{{.*}} schedule #tile.schedule<path = direct, stages = 1, warps = [2, 4, 1], split = none>
  %sum, %all = tile.sum %k below %n step 32 -> tensor<32x64xf32> {
    %a = tile.load %X[%c0, %k] : !tile.view<?x?xf16> -> tensor<32x32xf16>
    %b = tile.load %X[%k, %c0] : !tile.view<?x?xf16> -> tensor<32x64xf16>
    %product = tile.dot %a, %b : tensor<32x32xf16>, tensor<32x64xf16> -> tensor<32x64xf32>
    tile.yield %product : tensor<32x64xf32>
  }
  tile.return
}

// What passes through shared memory is read by as many warps as have the same rows or columns: a
// square for each warp takes the least.
// CHECK-LABEL: tile.kernel @squares
tile.kernel @squares(%x: !tile.ptr<f16>, %n: i32) grid ["1", "1", "1"]
    config {WARPS = 8 : i64, STAGES = 3 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  // CHECK: tile.sum %{{.*}} schedule #tile.schedule<path = shared, stages = 3, warps = [2, 4, 1], split = none>
  %sum, %all = tile.sum %k below %n step 32 -> tensor<64x128xf32> {
    %a = tile.load %X[%c0, %k] {alignment = 16} : !tile.view<?x?xf16> -> tensor<64x32xf16>
    %b = tile.load %X[%k, %c0] {alignment = 16} : !tile.view<?x?xf16> -> tensor<32x128xf16>
    %product = tile.dot %a, %b : tensor<64x32xf16>, tensor<32x128xf16> -> tensor<64x128xf32>
    tile.yield %product : tensor<64x128xf32>
  }
  tile.return
}

// What cannot be copied there goes straight to registers all the same: rows first.
// CHECK-LABEL: tile.kernel @not_copied
tile.kernel @not_copied(%x: !tile.ptr<f16>, %n: i32) grid ["1", "1", "1"]
    config {WARPS = 8 : i64, STAGES = 3 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  // CHECK: tile.sum %{{.*}} schedule #tile.schedule<path = direct, stages = 1, warps = [4, 2, 1], split = none>
  %sum, %all = tile.sum %k below %n step 32 -> tensor<64x128xf32> {
    %a = tile.load %X[%c0, %k] {alignment = 2} : !tile.view<?x?xf16> -> tensor<64x32xf16>
    %b = tile.load %X[%k, %c0] {alignment = 2} : !tile.view<?x?xf16> -> tensor<32x128xf16>
    %product = tile.dot %a, %b : tensor<64x32xf16>, tensor<32x128xf16> -> tensor<64x128xf32>
    tile.yield %product : tensor<64x128xf32>
  }
  tile.return
}

// Any warp may read rows that are kept in shared memory: they share the columns, of which each takes
// 32 at least.
// CHECK-LABEL: tile.kernel @kept_rows
tile.kernel @kept_rows(%x: !tile.ptr<f16>, %n: i32) grid ["1", "1", "1"]
    config {WARPS = 8 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  %kept = arith.constant dense<1.0> : tensor<64x256xf16>
  // CHECK: tile.sum %{{.*}} schedule #tile.schedule<path = direct, stages = 1, warps = [2, 4, 1], split = none>
  %sum, %all = tile.sum %k below %n step 64 -> tensor<64x128xf32> {
    %a = tile.slice %kept[%k] : tensor<64x256xf16> -> tensor<64x64xf16>
    %b = tile.load %X[%k, %c0] : !tile.view<?x?xf16> -> tensor<64x128xf16>
    %product = tile.dot %a, %b : tensor<64x64xf16>, tensor<64x128xf16> -> tensor<64x128xf32>
    tile.yield %product : tensor<64x128xf32>
  }
  tile.return
}

// Those that share the reduced dimension are set apart.
// CHECK-LABEL: tile.kernel @reduced_dimension
tile.kernel @reduced_dimension(%x: !tile.ptr<f16>, %n: i32) grid ["1", "1", "1"]
    config {WARPS = 8 : i64, WARPS_K = 4 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  // CHECK: tile.sum %{{.*}} schedule #tile.schedule<path = direct, stages = 1, warps = [2, 1, 4], split = none>
  %sum, %all = tile.sum %k below %n step 32 -> tensor<32x32xf32> {
    %a = tile.load %X[%c0, %k] : !tile.view<?x?xf16> -> tensor<32x32xf16>
    %b = tile.load %X[%k, %c0] : !tile.view<?x?xf16> -> tensor<32x32xf16>
    %product = tile.dot %a, %b : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    tile.yield %product : tensor<32x32xf32>
  }
  tile.return
}

// Without a configuration there are four warps.
// CHECK-LABEL: tile.kernel @by_default
tile.kernel @by_default(%x: !tile.ptr<f16>, %n: i32) grid ["1", "1", "1"] {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  // CHECK: tile.sum %{{.*}} schedule #tile.schedule<path = direct, stages = 1, warps = [4, 1, 1], split = none>
  %sum, %all = tile.sum %k below %n step 32 -> tensor<64x32xf32> {
    %a = tile.load %X[%c0, %k] : !tile.view<?x?xf16> -> tensor<64x32xf16>
    %b = tile.load %X[%k, %c0] : !tile.view<?x?xf16> -> tensor<32x32xf16>
    %product = tile.dot %a, %b : tensor<64x32xf16>, tensor<32x32xf16> -> tensor<64x32xf32>
    tile.yield %product : tensor<64x32xf32>
  }
  tile.return
}
