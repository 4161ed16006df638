// A divisor may name parameters, whose values config holds.
// RUN: lora-opt %s -tile-specialize=set=ALIGN=4 -tile-simplify | FileCheck %s --check-prefix=FOUR
// RUN: lora-opt %s -tile-specialize=set=ALIGN=8 -tile-simplify | FileCheck %s --check-prefix=EIGHT

tile.kernel @k(%x: !tile.ptr<f16>, %n: i32) params [ALIGN = 8 in [4, 8]]
    assuming ["x % (2 * ALIGN) == 0", "n % ALIGN == 0"] grid ["1", "1", "1"] {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n] strides [1] : !tile.ptr<f16> -> !tile.view<?xf16>
  // FOUR:  tile.load %{{.*}} {alignment = 8 : i64
  // EIGHT: tile.load %{{.*}} {alignment = 16 : i64
  %tile = tile.load %X[%c0] : !tile.view<?xf16> -> tensor<64xf16>
  tile.store %tile, %X[%c0] : tensor<64xf16>, !tile.view<?xf16>
  tile.return
}
