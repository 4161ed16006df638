// RUN: lora-opt %s | lora-opt | FileCheck %s
// RUN: lora-opt %s -mlir-print-op-generic | lora-opt | FileCheck %s

// CHECK-LABEL: tile.kernel @dot
tile.kernel @dot() grid ["1", "1", "1"] {
  %a = arith.constant dense<1.0> : tensor<16x64xf16>
  %b = arith.constant dense<1.0> : tensor<64x32xf16>
  %c = arith.constant dense<1.0> : tensor<16x32xf32>
  // CHECK:      tile.dot %{{[^,]*}}, %{{[^,]*}} : tensor<16x64xf16>, tensor<64x32xf16> -> tensor<16x32xf32>{{$}}
  // CHECK-NEXT: tile.dot %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}} : tensor<16x64xf16>, tensor<64x32xf16> -> tensor<16x32xf32>
  %d = tile.dot %a, %b : tensor<16x64xf16>, tensor<64x32xf16> -> tensor<16x32xf32>
  %e = tile.dot %a, %b, %c : tensor<16x64xf16>, tensor<64x32xf16> -> tensor<16x32xf32>
  tile.return
}

// CHECK-LABEL: tile.kernel @mixed_16_bit_operands
tile.kernel @mixed_16_bit_operands() grid ["1", "1", "1"] {
  %a = arith.constant dense<1.0> : tensor<16x64xf16>
  %b = arith.constant dense<1.0> : tensor<64x32xbf16>
  // CHECK: tile.dot {{.*}} : tensor<16x64xf16>, tensor<64x32xbf16> -> tensor<16x32xf32>
  %d = tile.dot %a, %b : tensor<16x64xf16>, tensor<64x32xbf16> -> tensor<16x32xf32>
  tile.return
}

// CHECK-LABEL: tile.kernel @single_precision
tile.kernel @single_precision() grid ["1", "1", "1"] {
  %a = arith.constant dense<1.0> : tensor<16x64xf32>
  %b = arith.constant dense<1.0> : tensor<64x32xf32>
  // CHECK: tile.dot {{.*}} : tensor<16x64xf32>, tensor<64x32xf32> -> tensor<16x32xf32>
  %d = tile.dot %a, %b : tensor<16x64xf32>, tensor<64x32xf32> -> tensor<16x32xf32>
  tile.return
}

// CHECK-LABEL: tile.kernel @parametric
tile.kernel @parametric(%x: !tile.ptr<!tile.element<X>>, %n: i32)
    types [X = f16 in [f16, bf16]] params [M = 16 in [16], K = 32 in [32]] grid ["1", "1", "1"] {
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<!tile.element<X>> -> !tile.view<?x?x!tile.element<X>>
  %a = tile.load %X[%n, %n] : !tile.view<?x?x!tile.element<X>> -> tensor<?x?x!tile.element<X>, #tile.shape<M, K>>
  %c = tile.load %X[%n, %n] : !tile.view<?x?x!tile.element<X>> -> tensor<?x?x!tile.element<X>, #tile.shape<K, M>>
  // CHECK: tile.dot {{.*}} : tensor<?x?x!tile.element<X>, #tile.shape<M, K>>, tensor<?x?x!tile.element<X>, #tile.shape<K, M>> -> tensor<?x?xf32, #tile.shape<M, M>>
  %d = tile.dot %a, %c : tensor<?x?x!tile.element<X>, #tile.shape<M, K>>, tensor<?x?x!tile.element<X>, #tile.shape<K, M>> -> tensor<?x?xf32, #tile.shape<M, M>>
  tile.return
}
