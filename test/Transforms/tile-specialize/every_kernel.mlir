// Each kernel of a module is specialised; one that already is stays as it is.
// RUN: lora-opt %s -tile-specialize | FileCheck %s

// CHECK:      tile.kernel @first
// CHECK-NEXT: grid
// CHECK-NEXT: config {M = 16 : i64}
tile.kernel @first() params [M = 16 in [16]] grid ["1", "1", "1"] {
  tile.return
}

// CHECK:      tile.kernel @second
// CHECK-NEXT: grid
// CHECK-NEXT: config {M = 64 : i64}
tile.kernel @second() grid ["1", "1", "1"] config {M = 64 : i64} {
  tile.return
}
