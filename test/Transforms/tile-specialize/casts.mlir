// A tile.cast becomes the ops of arith that convert between the bound types, or nothing.
// RUN: lora-opt %s -tile-specialize="set=X=f16,Y=f16" | FileCheck %s --check-prefix=SAME
// RUN: lora-opt %s -tile-specialize="set=X=f16,Y=f32" | FileCheck %s --check-prefix=WIDER
// RUN: lora-opt %s -tile-specialize="set=X=f32,Y=f16" | FileCheck %s --check-prefix=NARROWER
// RUN: lora-opt %s -tile-specialize="set=X=f16,Y=bf16" | FileCheck %s --check-prefix=OTHER

// SAME-NOT: arith.extf
// SAME-NOT: arith.truncf
// SAME-NOT: tile.cast

// WIDER:     arith.extf %{{.*}} : tensor<16xf16> to tensor<16xf32>
// WIDER-NOT: arith.truncf

// NARROWER-NOT: arith.extf
// NARROWER:     arith.truncf %{{.*}} : tensor<16xf32> to tensor<16xf16>

// OTHER:      %[[WIDE:.*]] = arith.extf %{{.*}} : tensor<16xf16> to tensor<16xf32>
// OTHER-NEXT: arith.truncf %[[WIDE]] : tensor<16xf32> to tensor<16xbf16>
tile.kernel @casts(%x: !tile.ptr<!tile.element<X>>, %y: !tile.ptr<!tile.element<Y>>, %n: i32)
    types [X = f16 in [f16, f32], Y = f16 in [f16, bf16, f32]] grid ["1", "1", "1"] {
  %X = tile.view %x sizes [%n] strides [1] : !tile.ptr<!tile.element<X>> -> !tile.view<?x!tile.element<X>>
  %Y = tile.view %y sizes [%n] strides [1] : !tile.ptr<!tile.element<Y>> -> !tile.view<?x!tile.element<Y>>
  %tile = tile.load %X[%n] : !tile.view<?x!tile.element<X>> -> tensor<16x!tile.element<X>>
  %cast = tile.cast %tile : tensor<16x!tile.element<X>> -> tensor<16x!tile.element<Y>>
  tile.store %cast, %Y[%n] : tensor<16x!tile.element<Y>>, !tile.view<?x!tile.element<Y>>
  tile.return
}
