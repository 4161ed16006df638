// RUN: lora-opt %s | lora-opt | FileCheck %s
// RUN: lora-opt %s -mlir-print-op-generic | lora-opt | FileCheck %s

// CHECK-LABEL: tile.kernel @load
tile.kernel @load(%x: !tile.ptr<f16>, %n: i32) grid ["1", "1", "1"] {
  %V = tile.view %x sizes [%n] strides [1] : !tile.ptr<f16> -> !tile.view<?xf16>
  %M = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  // CHECK:      tile.load_scalar %{{.*}}[%n, %n] : !tile.view<?x?xf16> -> f16
  // CHECK-NEXT: tile.load %{{.*}}[%n] : !tile.view<?xf16> -> tensor<32xf16>
  // CHECK-NEXT: tile.load %{{.*}}[%n, %n] padding 1.000000e+00 : f16 : !tile.view<?x?xf16> -> tensor<16x64xf16>
  // CHECK-NEXT: tile.load %{{.*}}[%n] {alignment = 16 : i64, in_bounds = array<i1: true>} : !tile.view<?xf16> -> tensor<32xf16>
  %scalar = tile.load_scalar %M[%n, %n] : !tile.view<?x?xf16> -> f16
  %vector = tile.load %V[%n] : !tile.view<?xf16> -> tensor<32xf16>
  %padded = tile.load %M[%n, %n] padding 1.0 : f16 : !tile.view<?x?xf16> -> tensor<16x64xf16>
  %facts = tile.load %V[%n] {alignment = 16, in_bounds = array<i1: true>} : !tile.view<?xf16> -> tensor<32xf16>
  tile.return
}

// CHECK-LABEL: tile.kernel @load_pointer
tile.kernel @load_pointer(%table: !tile.ptr<!tile.ptr<f16>>, %n: i32) grid ["1", "1", "1"] {
  %T = tile.view %table sizes [%n] strides [1] : !tile.ptr<!tile.ptr<f16>> -> !tile.view<?x!tile.ptr<f16>>
  // CHECK: tile.load_scalar %{{.*}}[%n] : !tile.view<?x!tile.ptr<f16>> -> !tile.ptr<f16>
  %pointer = tile.load_scalar %T[%n] : !tile.view<?x!tile.ptr<f16>> -> !tile.ptr<f16>
  tile.return
}

// CHECK-LABEL: tile.kernel @gather
tile.kernel @gather(%x: !tile.ptr<f16>, %n: i32) grid ["1", "1", "1"] {
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  %rows = tile.iota : tensor<16xi32>
  // CHECK: tile.gather %{{.*}}[%{{.*}}, %n] : !tile.view<?x?xf16>, tensor<16xi32> -> tensor<16x64xf16>
  %tile = tile.gather %X[%rows, %n] : !tile.view<?x?xf16>, tensor<16xi32> -> tensor<16x64xf16>
  tile.return
}

// CHECK-LABEL: tile.kernel @store
tile.kernel @store(%x: !tile.ptr<f16>, %n: i32, %tile: f32) grid ["1", "1", "1"] {
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  %half = arith.constant dense<0.0> : tensor<16x16xf16>
  %single = arith.constant dense<0.0> : tensor<16x16xf32>
  // CHECK:      tile.store %{{.*}}, %{{.*}}[%n, %n] : tensor<16x16xf16>, !tile.view<?x?xf16>
  // CHECK-NEXT: tile.store %{{.*}}, %{{.*}}[%n, %n] accumulate : tensor<16x16xf32>, !tile.view<?x?xf16>
  tile.store %half, %X[%n, %n] : tensor<16x16xf16>, !tile.view<?x?xf16>
  tile.store %single, %X[%n, %n] accumulate : tensor<16x16xf32>, !tile.view<?x?xf16>
  tile.return
}

// CHECK-LABEL: tile.kernel @scatter
tile.kernel @scatter(%x: !tile.ptr<bf16>, %n: i32) grid ["1", "1", "1"] {
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<bf16> -> !tile.view<?x?xbf16>
  %rows = tile.iota : tensor<16xi32>
  %half = arith.constant dense<0.0> : tensor<16x16xbf16>
  %single = arith.constant dense<0.0> : tensor<16x16xf32>
  // CHECK:      tile.scatter %{{.*}}, %{{.*}}[%{{.*}}, %n] : tensor<16x16xbf16>, !tile.view<?x?xbf16>, tensor<16xi32>
  // CHECK-NEXT: tile.scatter %{{.*}}, %{{.*}}[%{{.*}}, %n] accumulate : tensor<16x16xf32>, !tile.view<?x?xbf16>, tensor<16xi32>
  tile.scatter %half, %X[%rows, %n] : tensor<16x16xbf16>, !tile.view<?x?xbf16>, tensor<16xi32>
  tile.scatter %single, %X[%rows, %n] accumulate : tensor<16x16xf32>, !tile.view<?x?xbf16>, tensor<16xi32>
  tile.return
}

// Accesses in terms of parameters.

// CHECK-LABEL: tile.kernel @parametric
tile.kernel @parametric(%x: !tile.ptr<!tile.element<X>>, %n: i32)
    types [X = f16 in [f16, bf16]] params [M = 16 in [16], N = 16 in [16]] grid ["1", "1", "1"] {
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<!tile.element<X>> -> !tile.view<?x?x!tile.element<X>>
  %rows = tile.iota : tensor<?xi32, #tile.shape<M>>
  // CHECK: tile.gather %{{.*}} : !tile.view<?x?x!tile.element<X>>, tensor<?xi32, #tile.shape<M>> -> tensor<?x?x!tile.element<X>, #tile.shape<M, N>>
  %tile = tile.gather %X[%rows, %n] : !tile.view<?x?x!tile.element<X>>, tensor<?xi32, #tile.shape<M>> -> tensor<?x?x!tile.element<X>, #tile.shape<M, N>>
  tile.return
}
