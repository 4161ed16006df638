// Expressions of ops are evaluated; those of the launch keep their names, which config explains.
// RUN: lora-opt %s -tile-specialize="set=K=64,S=4" | FileCheck %s

// CHECK-LABEL: tile.kernel @expressions
// CHECK:       assuming ["n % K == 0"]
// CHECK:       grid ["ceildiv(n, K) * S", "1", "1"]
// CHECK:       config {K = 64 : i64, S = 4 : i64}
tile.kernel @expressions(%x: !tile.ptr<f32>, %n: i32)
    params [K = 32 in [32, 64], S = 1 in [1, 2, 4]] where ["K >= S"]
    assuming ["n % K == 0"] grid ["ceildiv(n, K) * S", "1", "1"] {
  // CHECK: tile.param 68 : i32
  %offset = tile.param "K + S" : i32
  // CHECK: tile.assume_divisible %{{.*}} by 128 : i32
  %aligned = tile.assume_divisible %offset by "2 * K" : i32
  // CHECK: tile.sum %{{.*}} below %n step 64 split 4 across x to one
  %sum, %mine = tile.sum %k below %n step K split S across x to one -> tensor<16xf32> {
    %one = arith.constant dense<1.0> : tensor<16xf32>
    tile.yield %one : tensor<16xf32>
  }
  tile.return
}
