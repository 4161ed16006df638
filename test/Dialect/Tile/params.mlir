// RUN: lora-opt %s | lora-opt | FileCheck %s
// RUN: lora-opt %s -mlir-print-op-generic | lora-opt | FileCheck %s

// CHECK-LABEL: tile.kernel @values
tile.kernel @values(%n: i32) params [BLOCK_M = 16 in [16, 32]] grid ["1", "1", "1"] {
  // CHECK:      tile.param BLOCK_M : i32
  // CHECK-NEXT: tile.param "BLOCK_M * 2" : i64
  // CHECK-NEXT: tile.param "BLOCK_M > 16" : i1
  // CHECK-NEXT: tile.param 64 : i32
  %name = tile.param BLOCK_M : i32
  %expression = tile.param "BLOCK_M * 2" : i64
  %condition = tile.param "BLOCK_M > 16" : i1
  %number = tile.param 64 : i32
  tile.return
}

// CHECK-LABEL: tile.kernel @divisible
tile.kernel @divisible(%n: i32, %stride: i64, %x: !tile.ptr<f16>)
    params [ALIGN = 8 in [1, 8]] grid ["1", "1", "1"] {
  // CHECK:      tile.assume_divisible %n by 4 : i32
  // CHECK-NEXT: tile.assume_divisible %stride by ALIGN : i64
  // CHECK-NEXT: tile.assume_divisible %x by "2 * ALIGN" : !tile.ptr<f16>
  %a = tile.assume_divisible %n by 4 : i32
  %b = tile.assume_divisible %stride by ALIGN : i64
  %c = tile.assume_divisible %x by "2 * ALIGN" : !tile.ptr<f16>
  tile.return
}
