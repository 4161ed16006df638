// A workspace serves one sum once: its parts would be overwritten while the last program reads them.
// RUN: lora-opt %s -tile-simplify -tile-schedule -tile-assign-layouts -tile-to-simt -verify-diagnostics

module attributes {tile.target = "sm_80"} {
tile.kernel @loop(%x: !tile.ptr<f16>, %y: !tile.ptr<f32>, %n: i32)
    assuming ["x % 16 == 0", "n % 32 == 0"] grid ["4", "1", "1"] config {WARPS = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  %Xt = tile.transpose %X : !tile.view<?x?xf16>
  %Y = tile.view %y sizes [%n, %n] strides [64, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32>
  scf.for %i = %c0 to %n step %c1 : i32 {
    // expected-error@+1 {{a sum that is split through a workspace cannot be in a loop}}
    %sum, %mine = tile.sum %k below %n step 32 split 4 across x to one -> tensor<16x16xf32> {
      %a = tile.load %X[%i, %k] : !tile.view<?x?xf16> -> tensor<16x32xf16>
      %b = tile.load %Xt[%k, %c0] : !tile.view<?x?xf16> -> tensor<32x16xf16>
      %product = tile.dot %a, %b : tensor<16x32xf16>, tensor<32x16xf16> -> tensor<16x16xf32>
      tile.yield %product : tensor<16x16xf32>
    }
    scf.if %mine {
      tile.store %sum, %Y[%i, %c0] : tensor<16x16xf32>, !tile.view<?x?xf32>
    }
  }
  tile.return
}
}
