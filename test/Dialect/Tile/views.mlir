// RUN: lora-opt %s | lora-opt | FileCheck %s
// RUN: lora-opt %s -mlir-print-op-generic | lora-opt | FileCheck %s

// A stride is a number that the compiler knows, or an operand.

// CHECK-LABEL: tile.kernel @view
tile.kernel @view(%x: !tile.ptr<f16>, %m: i32, %n: i32, %stride: i64) grid ["1", "1", "1"] {
  // CHECK:      tile.view %x sizes[%n] strides [1] : !tile.ptr<f16> -> !tile.view<?xf16>
  // CHECK-NEXT: tile.view %x sizes[%m, %n] strides [%stride, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  // CHECK-NEXT: tile.view %x sizes[%m, %m, %n] strides [0, %stride, %stride] : !tile.ptr<f16> -> !tile.view<?x?x?xf16>
  %a = tile.view %x sizes [%n] strides [1] : !tile.ptr<f16> -> !tile.view<?xf16>
  %b = tile.view %x sizes [%m, %n] strides [%stride, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  %c = tile.view %x sizes [%m, %m, %n] strides [0, %stride, %stride] : !tile.ptr<f16> -> !tile.view<?x?x?xf16>
  tile.return
}

// CHECK-LABEL: tile.kernel @table_of_pointers
tile.kernel @table_of_pointers(%table: !tile.ptr<!tile.ptr<f16>>, %n: i32) grid ["1", "1", "1"] {
  // CHECK:      tile.view %table {{.*}} : !tile.ptr<!tile.ptr<f16>> -> !tile.view<?x!tile.ptr<f16>>
  %a = tile.view %table sizes [%n] strides [1] : !tile.ptr<!tile.ptr<f16>> -> !tile.view<?x!tile.ptr<f16>>
  tile.return
}

// CHECK-LABEL: tile.kernel @subview
tile.kernel @subview(%x: !tile.ptr<f32>, %n: i32) grid ["1", "1", "1"] {
  %a = tile.view %x sizes [%n, %n] strides [4, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32>
  // CHECK: tile.subview %{{.*}}[%n] : !tile.view<?x?xf32> -> !tile.view<?xf32>
  %b = tile.subview %a[%n] : !tile.view<?x?xf32> -> !tile.view<?xf32>
  tile.return
}

// CHECK-LABEL: tile.kernel @transpose
tile.kernel @transpose(%x: !tile.ptr<f32>, %n: i32) grid ["1", "1", "1"] {
  %a = tile.view %x sizes [%n, %n] strides [4, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32>
  // CHECK: tile.transpose %{{.*}} : !tile.view<?x?xf32>
  %b = tile.transpose %a : !tile.view<?x?xf32>
  tile.return
}
