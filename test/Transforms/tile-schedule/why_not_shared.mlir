// A remark says why operands do not pass through shared memory.
// RUN: lora-opt %s -tile-schedule -verify-diagnostics | FileCheck %s

// CHECK-LABEL: tile.kernel @unaligned
tile.kernel @unaligned(%x: !tile.ptr<f16>, %n: i32) grid ["1", "1", "1"]
    config {WARPS = 1 : i64, STAGES = 3 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  // CHECK: schedule #tile.schedule<path = direct, stages = 1,
  // expected-remark@+1 {{not using shared memory: an operand is aligned to less than 4 bytes}}
  %sum, %all = tile.sum %k below %n step 32 -> tensor<16x32xf32> {
    %a = tile.load %X[%c0, %k] {alignment = 2} : !tile.view<?x?xf16> -> tensor<16x32xf16>
    %b = tile.load %X[%k, %c0] {alignment = 2} : !tile.view<?x?xf16> -> tensor<32x32xf16>
    %product = tile.dot %a, %b : tensor<16x32xf16>, tensor<32x32xf16> -> tensor<16x32xf32>
    tile.yield %product : tensor<16x32xf32>
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @unknown_alignment
tile.kernel @unknown_alignment(%x: !tile.ptr<f16>, %n: i32) grid ["1", "1", "1"]
    config {WARPS = 1 : i64, STAGES = 3 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  // CHECK: schedule #tile.schedule<path = direct, stages = 1,
  // expected-remark@+1 {{not using shared memory: an operand is aligned to less than 4 bytes}}
  %sum, %all = tile.sum %k below %n step 32 -> tensor<16x32xf32> {
    %a = tile.load %X[%c0, %k] : !tile.view<?x?xf16> -> tensor<16x32xf16>
    %b = tile.load %X[%k, %c0] : !tile.view<?x?xf16> -> tensor<32x32xf16>
    %product = tile.dot %a, %b : tensor<16x32xf16>, tensor<32x32xf16> -> tensor<16x32xf32>
    tile.yield %product : tensor<16x32xf32>
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @padded
tile.kernel @padded(%x: !tile.ptr<f16>, %n: i32) grid ["1", "1", "1"]
    config {WARPS = 1 : i64, STAGES = 3 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  // CHECK: schedule #tile.schedule<path = direct, stages = 1,
  // expected-remark@+1 {{not using shared memory: an operand is padded, and copies can write zeros only}}
  %sum, %all = tile.sum %k below %n step 32 -> tensor<16x32xf32> {
    %a = tile.load %X[%c0, %k] {alignment = 16} : !tile.view<?x?xf16> -> tensor<16x32xf16>
    %b = tile.load %X[%k, %c0] padding 1.0 : f16 {alignment = 16} : !tile.view<?x?xf16> -> tensor<32x32xf16>
    %product = tile.dot %a, %b : tensor<16x32xf16>, tensor<32x32xf16> -> tensor<16x32xf32>
    tile.yield %product : tensor<16x32xf32>
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @computed
tile.kernel @computed(%x: !tile.ptr<f16>, %n: i32) grid ["1", "1", "1"]
    config {WARPS = 1 : i64, STAGES = 3 : i64} {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  // CHECK: schedule #tile.schedule<path = direct, stages = 1,
  // expected-remark@+1 {{not using shared memory: an operand is not loaded by the body itself}}
  %sum, %all = tile.sum %k below %n step 32 -> tensor<16x32xf32> {
    %a = tile.load %X[%c0, %k] {alignment = 16} : !tile.view<?x?xf16> -> tensor<16x32xf16>
    %b = tile.load %X[%k, %c0] {alignment = 16} : !tile.view<?x?xf16> -> tensor<32x32xf16>
    %twice = arith.addf %a, %a : tensor<16x32xf16>
    %product = tile.dot %twice, %b : tensor<16x32xf16>, tensor<32x32xf16> -> tensor<16x32xf32>
    tile.yield %product : tensor<16x32xf32>
  }
  tile.return
}
