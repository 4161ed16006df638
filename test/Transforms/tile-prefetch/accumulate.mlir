// An accumulating store becomes a load, an addition in f32 and a store, all with its facts.
// RUN: lora-opt %s -tile-prefetch | FileCheck %s

// CHECK-LABEL: tile.kernel @store
tile.kernel @store(%x: !tile.ptr<f16>, %n: i32, %f: f32) grid ["1", "1", "1"] {
  %X = tile.view %x sizes [%n] strides [1] : !tile.ptr<f16> -> !tile.view<?xf16>
  // CHECK:      %[[VALUE:.*]] = tile.splat
  %value = tile.splat %f : f32 -> tensor<64xf32>
  // CHECK-NEXT: %[[OLD:.*]] = tile.load %[[X:.*]][%n] {alignment = 8 : i64, in_bounds = array<i1: true>} : !tile.view<?xf16> -> tensor<64xf16>
  // CHECK-NEXT: %[[WIDE:.*]] = arith.extf %[[OLD]] : tensor<64xf16> to tensor<64xf32>
  // CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[WIDE]], %[[VALUE]] : tensor<64xf32>
  // CHECK-NEXT: %[[NEW:.*]] = arith.truncf %[[SUM]] : tensor<64xf32> to tensor<64xf16>
  // CHECK-NEXT: tile.store %[[NEW]], %[[X]][%n] {alignment = 8 : i64, in_bounds = array<i1: true>} : tensor<64xf16>
  tile.store %value, %X[%n] accumulate {alignment = 8, in_bounds = array<i1: true>} : tensor<64xf32>, !tile.view<?xf16>
  tile.return
}

// CHECK-LABEL: tile.kernel @scatter
tile.kernel @scatter(%x: !tile.ptr<f32>, %n: i32, %f: f32) grid ["1", "1", "1"] {
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32>
  %rows = tile.iota : tensor<16xi32>
  %value = tile.splat %f : f32 -> tensor<16x64xf32>
  // CHECK:      %[[OLD:.*]] = tile.gather %[[X:.*]][%[[ROWS:.*]], %n]
  // CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[OLD]], %{{.*}} : tensor<16x64xf32>
  // CHECK-NEXT: tile.scatter %[[SUM]], %[[X]][%[[ROWS]], %n] :
  tile.scatter %value, %X[%rows, %n] accumulate : tensor<16x64xf32>, !tile.view<?x?xf32>, tensor<16xi32>
  tile.return
}
