// Registers of 16-bit elements cross the edges of regions in pairs, as one value each; one that has
// no partner crosses alone.
// RUN: lora-opt %s -tile-to-simt -canonicalize -cse | FileCheck %s

#four = #tile.layout<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = []>
#two = #tile.layout<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = []>
#one = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = []>

// CHECK-LABEL: gpu.func @loop
tile.kernel @loop(%x: !tile.ptr<f16>, %n: i32) grid ["1", "1", "1"] config {WARPS = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %X = tile.view %x sizes [%n] strides [1] : !tile.ptr<f16> -> !tile.view<?xf16>
  // CHECK: %[[A:.*]] = simt.load
  // CHECK: %[[B:.*]] = simt.load
  // CHECK: %[[C:.*]] = simt.load
  // CHECK: %[[D:.*]] = simt.load
  %first = tile.load %X[%c0] : !tile.view<?xf16> -> tensor<128xf16, #four>
  // CHECK: %[[AB:.*]] = vector.from_elements %[[A]], %[[B]] : vector<2xf16>
  // CHECK: %[[CD:.*]] = vector.from_elements %[[C]], %[[D]] : vector<2xf16>
  // CHECK: %[[LAST:.*]]:2 = scf.for %{{.*}} iter_args(%[[LOW:.*]] = %[[AB]], %[[HIGH:.*]] = %[[CD]]) -> (vector<2xf16>, vector<2xf16>)
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%tile = %first) -> tensor<128xf16, #four> : i32 {
    // CHECK:     %[[ONE:.*]] = vector.extract %[[LOW]][0]
    // CHECK:     %[[TWO:.*]] = vector.extract %[[LOW]][1]
    // CHECK:     vector.extract %[[HIGH]][0]
    // CHECK:     vector.extract %[[HIGH]][1]
    // CHECK:     %[[FIRST:.*]] = arith.mulf %[[ONE]], %[[ONE]] : f16
    // CHECK:     %[[SECOND:.*]] = arith.mulf %[[TWO]], %[[TWO]] : f16
    %next = arith.mulf %tile, %tile : tensor<128xf16, #four>
    // CHECK:     %[[PAIR:.*]] = vector.from_elements %[[FIRST]], %[[SECOND]] : vector<2xf16>
    // CHECK:     scf.yield %[[PAIR]], %{{.*}} : vector<2xf16>, vector<2xf16>
    scf.yield %next : tensor<128xf16, #four>
  }
  // CHECK: %[[STORED:.*]] = vector.extract %[[LAST]]#0[0]
  // CHECK: simt.store %[[STORED]]
  tile.store %last, %X[%c0] : tensor<128xf16, #four>, !tile.view<?xf16>
  tile.return
}

// CHECK-LABEL: gpu.func @branches
tile.kernel @branches(%x: !tile.ptr<bf16>, %n: i32) grid ["1", "1", "1"]
    config {WARPS = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n] strides [1] : !tile.ptr<bf16> -> !tile.view<?xbf16>
  %is_some = arith.cmpi sgt, %n, %c0 : i32
  // CHECK: %[[TILE:.*]] = scf.if %{{.*}} -> (vector<2xbf16>) {
  %tile = scf.if %is_some -> tensor<64xbf16, #two> {
    // CHECK: %[[LOADED:.*]] = vector.from_elements %{{.*}}, %{{.*}} : vector<2xbf16>
    // CHECK: scf.yield %[[LOADED]] : vector<2xbf16>
    %loaded = tile.load %X[%c0] : !tile.view<?xbf16> -> tensor<64xbf16, #two>
    scf.yield %loaded : tensor<64xbf16, #two>
  } else {
    // CHECK: scf.yield %{{.*}} : vector<2xbf16>
    %zeros = arith.constant dense<0.0> : tensor<64xbf16, #two>
    scf.yield %zeros : tensor<64xbf16, #two>
  }
  // CHECK: vector.extract %[[TILE]][0]
  // CHECK: vector.extract %[[TILE]][1]
  tile.store %tile, %X[%c0] : tensor<64xbf16, #two>, !tile.view<?xbf16>
  tile.return
}

// CHECK-LABEL: gpu.func @alone
tile.kernel @alone(%x: !tile.ptr<f16>, %n: i32) grid ["1", "1", "1"] config {WARPS = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %X = tile.view %x sizes [%n] strides [1] : !tile.ptr<f16> -> !tile.view<?xf16>
  %first = tile.load %X[%c0] : !tile.view<?xf16> -> tensor<32xf16, #one>
  // CHECK:     scf.for %{{.*}} -> (f16)
  // CHECK-NOT: vector
  // CHECK:     gpu.return
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%tile = %first) -> tensor<32xf16, #one> : i32 {
    %next = arith.mulf %tile, %tile : tensor<32xf16, #one>
    scf.yield %next : tensor<32xf16, #one>
  }
  tile.store %last, %X[%c0] : tensor<32xf16, #one>, !tile.view<?xf16>
  tile.return
}
