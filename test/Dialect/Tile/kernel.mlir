// RUN: lora-opt %s | lora-opt | FileCheck %s
// RUN: lora-opt %s -mlir-print-op-generic | lora-opt | FileCheck %s

// A kernel with every clause.

// CHECK-LABEL: tile.kernel @all_clauses(%x: !tile.ptr<!tile.element<X>>, %n: i32, %stride: i64, %factor: f32)
// CHECK-NEXT:    types [X = f16 in [f16, bf16]]
// CHECK-NEXT:    params [BLOCK = 256 in [128, 256], WARPS = 4 in [4]]
// CHECK-NEXT:    where ["BLOCK >= 32 * WARPS"]
// CHECK-NEXT:    assuming ["n % 4 == 0", "x % 16 == 0"]
// CHECK-NEXT:    awaits ["x"]
// CHECK-NEXT:    grid ["ceildiv(n, BLOCK)", "1", "1"] {
tile.kernel @all_clauses(%x: !tile.ptr<!tile.element<X>>, %n: i32, %stride: i64, %factor: f32)
    types [X = f16 in [f16, bf16]]
    params [BLOCK = 256 in [128, 256], WARPS = 4 in [4]]
    where ["BLOCK >= 32 * WARPS"]
    assuming ["n % 4 == 0", "x % 16 == 0"]
    awaits ["x"]
    grid ["ceildiv(n, BLOCK)", "1", "1"] {
  // CHECK-NEXT: tile.return
  tile.return
}

// CHECK-LABEL: tile.kernel @only_a_grid()
// CHECK-NEXT:    grid ["1", "2", "3"] {
tile.kernel @only_a_grid() grid ["1", "2", "3"] {
  tile.return
}

// A configuration chooses values for parameters.

// CHECK-LABEL: tile.kernel @configured()
// CHECK-NEXT:    params [BLOCK = 16 in [16, 32]]
// CHECK-NEXT:    grid ["BLOCK", "1", "1"]
// CHECK-NEXT:    config {BLOCK = 32 : i64} {
tile.kernel @configured() params [BLOCK = 16 in [16, 32]] grid ["BLOCK", "1", "1"]
    config {BLOCK = 32 : i64} {
  tile.return
}

// Without parameters, the configuration says what their names in the grid mean.

// CHECK-LABEL: tile.kernel @specialized(%n: i32)
// CHECK-NEXT:    grid ["ceildiv(n, BLOCK)", "1", "1"]
// CHECK-NEXT:    config {BLOCK = 32 : i64, X = f16} {
tile.kernel @specialized(%n: i32) grid ["ceildiv(n, BLOCK)", "1", "1"]
    config {BLOCK = 32 : i64, X = f16} {
  tile.return
}

// CHECK-LABEL: tile.kernel @other_attributes()
// CHECK:         attributes {note = "kept"} {
tile.kernel @other_attributes() grid ["1", "1", "1"] attributes {note = "kept"} {
  tile.return
}

// Arguments keep their names.

// CHECK-LABEL: tile.kernel @program_ids(%rows: i32)
tile.kernel @program_ids(%rows: i32) grid ["rows", "1", "1"] {
  // CHECK: tile.program_id x : i32
  // CHECK: tile.program_id y : i32
  // CHECK: tile.program_id z : i32
  %x = tile.program_id x : i32
  %y = tile.program_id y : i32
  %z = tile.program_id z : i32
  %sum = arith.addi %x, %rows : i32
  // CHECK: arith.addi %{{.*}}, %rows : i32
  tile.return
}
