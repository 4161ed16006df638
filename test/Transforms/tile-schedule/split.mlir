// Programs that can be a cluster exchange their parts in it; others go through a workspace.
// RUN: lora-opt %s -tile-schedule -split-input-file | FileCheck %s

module attributes {tile.target = "sm_80"} {
// CHECK-LABEL: tile.kernel @no_clusters
tile.kernel @no_clusters(%x: !tile.ptr<f16>, %n: i32) grid ["1", "1", "1"]
    config {WARPS = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  // CHECK: tile.sum %{{.*}} schedule #tile.schedule<path = direct, stages = 1, warps = [1, 1, 1], split = workspace>
  %sum, %all = tile.sum %k below %n step 32 split 4 across x to one -> tensor<16x32xf32> {
    %a = tile.load %X[%c0, %k] : !tile.view<?x?xf16> -> tensor<16x32xf16>
    %b = tile.load %X[%k, %c0] : !tile.view<?x?xf16> -> tensor<32x32xf16>
    %product = tile.dot %a, %b : tensor<16x32xf16>, tensor<32x32xf16> -> tensor<16x32xf32>
    tile.yield %product : tensor<16x32xf32>
  }
  tile.return
}
}

// -----

module attributes {tile.target = "sm_90a"} {
// CHECK-LABEL: tile.kernel @cluster
tile.kernel @cluster(%x: !tile.ptr<f16>, %n: i32) grid ["1", "1", "1"]
    config {WARPS = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  // CHECK: tile.sum %{{.*}} schedule #tile.schedule<path = direct, stages = 1, warps = [1, 1, 1], split = cluster>
  %sum, %all = tile.sum %k below %n step 32 split 4 across x to one -> tensor<16x32xf32> {
    %a = tile.load %X[%c0, %k] : !tile.view<?x?xf16> -> tensor<16x32xf16>
    %b = tile.load %X[%k, %c0] : !tile.view<?x?xf16> -> tensor<32x32xf16>
    %product = tile.dot %a, %b : tensor<16x32xf16>, tensor<32x32xf16> -> tensor<16x32xf32>
    tile.yield %product : tensor<16x32xf32>
  }
  tile.return
}
}

// -----

module attributes {tile.target = "sm_90a"} {
// CHECK-LABEL: tile.kernel @visible_to_all
tile.kernel @visible_to_all(%x: !tile.ptr<f16>, %n: i32) grid ["1", "1", "1"]
    config {WARPS = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  // CHECK: tile.sum %{{.*}} schedule #tile.schedule<path = direct, stages = 1, warps = [1, 1, 1], split = cluster>
  %sum, %all = tile.sum %k below %n step 32 split 8 across x to all -> tensor<16x32xf32> {
    %a = tile.load %X[%c0, %k] : !tile.view<?x?xf16> -> tensor<16x32xf16>
    %b = tile.load %X[%k, %c0] : !tile.view<?x?xf16> -> tensor<32x32xf16>
    %product = tile.dot %a, %b : tensor<16x32xf16>, tensor<32x32xf16> -> tensor<16x32xf32>
    tile.yield %product : tensor<16x32xf32>
  }
  tile.return
}
}

// -----

module attributes {tile.target = "sm_90a"} {
// CHECK-LABEL: tile.kernel @largest_cluster
tile.kernel @largest_cluster(%x: !tile.ptr<f16>, %n: i32) grid ["1", "1", "1"]
    config {WARPS = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  // CHECK: tile.sum %{{.*}} schedule #tile.schedule<path = direct, stages = 1, warps = [1, 1, 1], split = cluster>
  %sum, %all = tile.sum %k below %n step 32 split 16 across x to one -> tensor<16x32xf32> {
    %a = tile.load %X[%c0, %k] : !tile.view<?x?xf16> -> tensor<16x32xf16>
    %b = tile.load %X[%k, %c0] : !tile.view<?x?xf16> -> tensor<32x32xf16>
    %product = tile.dot %a, %b : tensor<16x32xf16>, tensor<32x32xf16> -> tensor<16x32xf32>
    tile.yield %product : tensor<16x32xf32>
  }
  tile.return
}
}

// -----

module attributes {tile.target = "sm_90a"} {
// CHECK-LABEL: tile.kernel @too_many_for_a_cluster
tile.kernel @too_many_for_a_cluster(%x: !tile.ptr<f16>, %n: i32) grid ["1", "1", "1"]
    config {WARPS = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  // CHECK: tile.sum %{{.*}} schedule #tile.schedule<path = direct, stages = 1, warps = [1, 1, 1], split = workspace>
  %sum, %all = tile.sum %k below %n step 32 split 32 across x to one -> tensor<16x32xf32> {
    %a = tile.load %X[%c0, %k] : !tile.view<?x?xf16> -> tensor<16x32xf16>
    %b = tile.load %X[%k, %c0] : !tile.view<?x?xf16> -> tensor<32x32xf16>
    %product = tile.dot %a, %b : tensor<16x32xf16>, tensor<32x32xf16> -> tensor<16x32xf32>
    tile.yield %product : tensor<16x32xf32>
  }
  tile.return
}
}

// -----

module attributes {tile.target = "sm_100a"} {
// CHECK-LABEL: tile.kernel @largest_cluster_of_sm_100a
tile.kernel @largest_cluster_of_sm_100a(%x: !tile.ptr<f16>, %n: i32) grid ["1", "1", "1"]
    config {WARPS = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  // CHECK: tile.sum %{{.*}} schedule #tile.schedule<path = direct, stages = 1, warps = [1, 1, 1], split = cluster>
  %sum, %all = tile.sum %k below %n step 32 split 16 across x to one -> tensor<16x32xf32> {
    %a = tile.load %X[%c0, %k] : !tile.view<?x?xf16> -> tensor<16x32xf16>
    %b = tile.load %X[%k, %c0] : !tile.view<?x?xf16> -> tensor<32x32xf16>
    %product = tile.dot %a, %b : tensor<16x32xf16>, tensor<32x32xf16> -> tensor<16x32xf32>
    tile.yield %product : tensor<16x32xf32>
  }
  tile.return
}
}

// -----

module attributes {tile.target = "sm_120a"} {
// CHECK-LABEL: tile.kernel @smaller_clusters
tile.kernel @smaller_clusters(%x: !tile.ptr<f16>, %n: i32) grid ["1", "1", "1"]
    config {WARPS = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  // CHECK: tile.sum %{{.*}} schedule #tile.schedule<path = direct, stages = 1, warps = [1, 1, 1], split = workspace>
  %sum, %all = tile.sum %k below %n step 32 split 16 across x to one -> tensor<16x32xf32> {
    %a = tile.load %X[%c0, %k] : !tile.view<?x?xf16> -> tensor<16x32xf16>
    %b = tile.load %X[%k, %c0] : !tile.view<?x?xf16> -> tensor<32x32xf16>
    %product = tile.dot %a, %b : tensor<16x32xf16>, tensor<32x32xf16> -> tensor<16x32xf32>
    tile.yield %product : tensor<16x32xf32>
  }
  tile.return
}
}

// -----

module attributes {tile.target = "sm_90a"} {
// CHECK-LABEL: tile.kernel @across_y
tile.kernel @across_y(%x: !tile.ptr<f16>, %n: i32) grid ["1", "1", "1"]
    config {WARPS = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  // CHECK: tile.sum %{{.*}} schedule #tile.schedule<path = direct, stages = 1, warps = [1, 1, 1], split = workspace>
  %sum, %all = tile.sum %k below %n step 32 split 4 across y to one -> tensor<16x32xf32> {
    %a = tile.load %X[%c0, %k] : !tile.view<?x?xf16> -> tensor<16x32xf16>
    %b = tile.load %X[%k, %c0] : !tile.view<?x?xf16> -> tensor<32x32xf16>
    %product = tile.dot %a, %b : tensor<16x32xf16>, tensor<32x32xf16> -> tensor<16x32xf32>
    tile.yield %product : tensor<16x32xf32>
  }
  tile.return
}
}
