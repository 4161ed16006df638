// RUN: lora-opt %s | lora-opt | FileCheck %s
// RUN: lora-opt %s -mlir-print-op-generic | lora-opt | FileCheck %s

// CHECK-LABEL: tile.kernel @splat
tile.kernel @splat(%f: f32, %n: i32) grid ["1", "1", "1"] {
  // CHECK:      tile.splat %f : f32 -> tensor<16x16xf32>
  // CHECK-NEXT: tile.splat %n : i32 -> tensor<1xi32>
  %a = tile.splat %f : f32 -> tensor<16x16xf32>
  %b = tile.splat %n : i32 -> tensor<1xi32>
  tile.return
}

// CHECK-LABEL: tile.kernel @iota
tile.kernel @iota() params [M = 16 in [16]] grid ["1", "1", "1"] {
  // CHECK:      tile.iota : tensor<64xi32>
  // CHECK-NEXT: tile.iota : tensor<?xi32, #tile.shape<M>>
  %a = tile.iota : tensor<64xi32>
  %b = tile.iota : tensor<?xi32, #tile.shape<M>>
  tile.return
}

// CHECK-LABEL: tile.kernel @broadcast
tile.kernel @broadcast(%n: i32) grid ["1", "1", "1"] {
  %v = tile.splat %n : i32 -> tensor<16xi32>
  // CHECK:      tile.broadcast %{{.*}} along 0 : tensor<16xi32> -> tensor<64x16xi32>
  // CHECK-NEXT: tile.broadcast %{{.*}} along 1 : tensor<16xi32> -> tensor<16x64xi32>
  %rows = tile.broadcast %v along 0 : tensor<16xi32> -> tensor<64x16xi32>
  %columns = tile.broadcast %v along 1 : tensor<16xi32> -> tensor<16x64xi32>
  tile.return
}

// CHECK-LABEL: tile.kernel @slice
tile.kernel @slice(%f: f32, %n: i32) params [K = 64 in [64]] grid ["1", "1", "1"] {
  %t = tile.splat %f : f32 -> tensor<16x256xf32>
  // CHECK:      tile.slice %{{.*}}[%n] : tensor<16x256xf32> -> tensor<16x64xf32>
  // CHECK-NEXT: tile.slice %{{.*}}[%n] : tensor<16x256xf32> -> tensor<16x?xf32, #tile.shape<16, K>>
  %0 = tile.slice %t[%n] : tensor<16x256xf32> -> tensor<16x64xf32>
  %1 = tile.slice %t[%n] : tensor<16x256xf32> -> tensor<16x?xf32, #tile.shape<16, K>>
  tile.return
}

// CHECK-LABEL: tile.kernel @cast
tile.kernel @cast(%f: f32) types [X = f16 in [f16, bf16]] grid ["1", "1", "1"] {
  %a = tile.splat %f : f32 -> tensor<16xf32>
  // CHECK:      tile.cast %{{.*}} : tensor<16xf32> -> tensor<16xbf16>
  // CHECK-NEXT: tile.cast %{{.*}} : tensor<16xf32> -> tensor<16x!tile.element<X>>
  %b = tile.cast %a : tensor<16xf32> -> tensor<16xbf16>
  %c = tile.cast %a : tensor<16xf32> -> tensor<16x!tile.element<X>>
  tile.return
}

// Elementwise ops of arith and control flow of scf work on tiles.

// CHECK-LABEL: tile.kernel @upstream_ops
tile.kernel @upstream_ops(%f: f32, %n: i32) params [M = 16 in [16]] grid ["1", "1", "1"] {
  %a = tile.splat %f : f32 -> tensor<?xf32, #tile.shape<M>>
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  // CHECK: scf.for {{.*}} -> (tensor<?xf32, #tile.shape<M>>)
  %sum = scf.for %i = %zero to %n step %one iter_args(%s = %a) -> (tensor<?xf32, #tile.shape<M>>) : i32 {
    // CHECK: arith.addf %{{.*}} : tensor<?xf32, #tile.shape<M>>
    %next = arith.addf %s, %a : tensor<?xf32, #tile.shape<M>>
    scf.yield %next : tensor<?xf32, #tile.shape<M>>
  }
  tile.return
}
