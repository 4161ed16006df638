// `set` goes before the kernel's config, and that before the default.
// RUN: lora-opt %s -tile-specialize=set=A=3 | FileCheck %s

// CHECK: config {A = 3 : i64, B = 2 : i64, C = 1 : i64}
tile.kernel @precedence() params [A = 1 in [1, 2, 3], B = 1 in [1, 2, 3], C = 1 in [1, 2, 3]]
    grid ["1", "1", "1"] config {A = 2 : i64, B = 2 : i64} {
  tile.return
}
