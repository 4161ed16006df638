// Element types are bound in pointers, views and tiles.
// RUN: lora-opt %s -tile-specialize=set=X=bf16 | FileCheck %s

// CHECK-LABEL: tile.kernel @types(%table: !tile.ptr<!tile.ptr<bf16>>, %n: i32)
// CHECK-NOT:   types
// CHECK:       config {X = bf16}
tile.kernel @types(%table: !tile.ptr<!tile.ptr<!tile.element<X>>>, %n: i32)
    types [X = f16 in [f16, bf16]] grid ["1", "1", "1"] {
  %T = tile.view %table sizes [%n] strides [1]
      : !tile.ptr<!tile.ptr<!tile.element<X>>> -> !tile.view<?x!tile.ptr<!tile.element<X>>>
  // CHECK: tile.load_scalar %{{.*}} -> !tile.ptr<bf16>
  %x = tile.load_scalar %T[%n] : !tile.view<?x!tile.ptr<!tile.element<X>>> -> !tile.ptr<!tile.element<X>>
  // CHECK: tile.view %{{.*}} : !tile.ptr<bf16> -> !tile.view<?xbf16>
  %X = tile.view %x sizes [%n] strides [1] : !tile.ptr<!tile.element<X>> -> !tile.view<?x!tile.element<X>>
  // CHECK: tile.load %{{.*}} -> tensor<32xbf16>
  %tile = tile.load %X[%n] : !tile.view<?x!tile.element<X>> -> tensor<32x!tile.element<X>>
  tile.store %tile, %X[%n] : tensor<32x!tile.element<X>>, !tile.view<?x!tile.element<X>>
  tile.return
}
