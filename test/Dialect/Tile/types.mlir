// RUN: lora-opt %s | lora-opt | FileCheck %s
// RUN: lora-opt %s -mlir-print-op-generic | lora-opt | FileCheck %s

// CHECK-LABEL: tile.kernel @pointers
// CHECK-SAME:    %a: !tile.ptr<f16>, %b: !tile.ptr<bf16>, %c: !tile.ptr<f32>, %d: !tile.ptr<i32>
// CHECK-SAME:    %e: !tile.ptr<i64>, %f: !tile.ptr<!tile.element<X>>, %g: !tile.ptr<!tile.ptr<f16>>
tile.kernel @pointers(
    %a: !tile.ptr<f16>, %b: !tile.ptr<bf16>, %c: !tile.ptr<f32>, %d: !tile.ptr<i32>,
    %e: !tile.ptr<i64>, %f: !tile.ptr<!tile.element<X>>, %g: !tile.ptr<!tile.ptr<f16>>)
    types [X = f16 in [f16]] grid ["1", "1", "1"] {
  tile.return
}

// CHECK-LABEL: tile.kernel @views
tile.kernel @views(%x: !tile.ptr<!tile.element<X>>, %n: i32) types [X = f16 in [f16]]
    grid ["1", "1", "1"] {
  // CHECK: -> !tile.view<?x?x?x!tile.element<X>>
  %a = tile.view %x sizes [%n, %n, %n] strides [1, 1, 1]
      : !tile.ptr<!tile.element<X>> -> !tile.view<?x?x?x!tile.element<X>>
  tile.return
}
