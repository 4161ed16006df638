// RUN: lora-opt %s | lora-opt | FileCheck %s
// RUN: lora-opt %s -mlir-print-op-generic | lora-opt | FileCheck %s

// CHECK-LABEL: tile.kernel @shape
tile.kernel @shape() params [M = 16 in [16]] grid ["1", "1", "1"] {
  // CHECK:      tile.iota : tensor<?xi32, #tile.shape<"M * 2">>
  %a = tile.iota : tensor<?xi32, #tile.shape<"M * 2">>
  // CHECK-NEXT: tile.broadcast {{.*}} -> tensor<?x16xi32, #tile.shape<"M * 2", 16>>
  %b = tile.broadcast %a along 1
      : tensor<?xi32, #tile.shape<"M * 2">> -> tensor<?x16xi32, #tile.shape<"M * 2", 16>>
  tile.return
}

// The accumulator of mma.m16n8 with 32-bit elements, and a tile of which each warp has a copy.

#acc = #tile.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#row = #tile.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 0]]>

// CHECK-LABEL: tile.kernel @layout
tile.kernel @layout() grid ["1", "1", "1"] {
  %a = arith.constant dense<0.0> : tensor<16x8xf32, #acc>
  // CHECK: tile.convert_layout
  // CHECK-SAME{LITERAL}: tensor<16x8xf32, #tile.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>>
  // CHECK-SAME{LITERAL}: tensor<16x8xf32, #tile.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 0]]>>
  %b = tile.convert_layout %a : tensor<16x8xf32, #acc> -> tensor<16x8xf32, #row>
  tile.return
}

// CHECK-LABEL: tile.kernel @schedule
// CHECK-NEXT:    grid ["1", "1", "1"] attributes {
tile.kernel @schedule() grid ["1", "1", "1"] attributes {
    // CHECK-SAME: a = #tile.schedule<path = direct, stages = 1, warps = [1, 1, 4], split = cluster>
    a = #tile.schedule<path = direct, stages = 1, warps = [1, 1, 4], split = cluster>,
    // CHECK-SAME: b = #tile.schedule<path = shared, stages = 2, warps = [2, 2, 1], split = workspace>
    b = #tile.schedule<path = shared, stages = 2, warps = [2, 2, 1], split = workspace>} {
  tile.return
}
