// RUN: lora-compile %s --arch=sm_80 -o %t.cubin
// RUN: lora-compile %s --arch=sm_90a --set=SPLIT=4 -o %t.cubin
// RUN: lora-compile %s --arch=sm_100a --dtype=bf16 --set=SPLIT=16,WARPS=1 -o %t.cubin
// REQUIRES: ptxas
//
// Folds rows, a block of them after another in one loop, and adds another row to each:
//
//   y[i, c] = sum over k of x[from[i], 32 * k + c] + z[from[i], c]
//
//   x [rows, columns]   y [count, 32]   z [rows, 32]   from [count]
//
// A group of SPLIT programs shares each sum.

!elem = !tile.element<T>
!tile = tensor<16x32x!tile.element<T>>
!wide = tensor<16x32xf32>

tile.kernel @gathered_sums(
    %x: !tile.ptr<!elem>, %y: !tile.ptr<!elem>, %z: !tile.ptr<!elem>, %from: !tile.ptr<i32>,
    %count: i32, %rows: i32, %columns: i32, %x_stride: i64)
    types [T = f16 in [f16, bf16]]
    params [SPLIT = 1 in [1, 2, 4, 8, 16], WARPS = 4 in [1, 4]]
    grid ["SPLIT", "1", "1"] {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %c32 = arith.constant 32 : i32
  %From = tile.view %from sizes [%count] strides [1] : !tile.ptr<i32> -> !tile.view<?xi32>
  %X = tile.view %x sizes [%rows, %columns] strides [%x_stride, 1]
      : !tile.ptr<!elem> -> !tile.view<?x?x!elem>
  %Y = tile.view %y sizes [%count, %c32] strides [32, 1]
      : !tile.ptr<!elem> -> !tile.view<?x?x!elem>
  %Z = tile.view %z sizes [%rows, %c32] strides [32, 1]
      : !tile.ptr<!elem> -> !tile.view<?x?x!elem>
  scf.for %i = %c0 to %count step %c16 : i32 {
    %sources = tile.load %From[%i] padding -1 : i32 : !tile.view<?xi32> -> tensor<16xi32>
    %narrow = tile.gather %Z[%sources, %c0] : !tile.view<?x?x!elem>, tensor<16xi32> -> !tile
    %added = tile.cast %narrow : !tile -> !wide
    %sum, %mine = tile.sum %k below %columns step 32 split SPLIT across x to one -> !wide {
      %part = tile.gather %X[%sources, %k] : !tile.view<?x?x!elem>, tensor<16xi32> -> !tile
      %wide = tile.cast %part : !tile -> !wide
      tile.yield %wide : !wide
    }
    scf.if %mine {
      %total = arith.addf %sum, %added : !wide
      %rounded = tile.cast %total : !wide -> !tile
      tile.store %rounded, %Y[%i, %c0] : !tile, !tile.view<?x?x!elem>
    }
  }
  tile.return
}
