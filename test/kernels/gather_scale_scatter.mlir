// RUN: lora-compile %s --arch=sm_80 -o %t.cubin
// RUN: lora-compile %s --arch=sm_90a -o %t.cubin
// RUN: lora-compile %s --arch=sm_80 --dtype=bf16 --set=BLOCK_M=32,WARPS=1,ALIGN=1 -o %t.cubin
// RUN: lora-compile %s --arch=sm_90a --dtype=bf16 --set=BLOCK_M=32,WARPS=1,ALIGN=1 -o %t.cubin
// REQUIRES: ptxas
//
// Moves rows and scales them:
//
//   y[to[i], :] = scale[i] * x[from[i], :]
//
//   x [x_rows, columns]   y [y_rows, columns]   from, to, scale [count]
//
// A row of zeros stands for one that x does not have; a row that y does not have is dropped.

!elem    = !tile.element<T>
!rows    = tensor<?xi32, #tile.shape<BLOCK_M>>
!factors = tensor<?xf32, #tile.shape<BLOCK_M>>
!tile    = tensor<?x?x!tile.element<T>, #tile.shape<BLOCK_M, BLOCK_N>>
!wide    = tensor<?x?xf32, #tile.shape<BLOCK_M, BLOCK_N>>

tile.kernel @gather_scale_scatter(
    %x: !tile.ptr<!elem>, %y: !tile.ptr<!elem>, %from: !tile.ptr<i32>, %to: !tile.ptr<i32>,
    %scale: !tile.ptr<f32>, %count: i32, %x_rows: i32, %y_rows: i32, %columns: i32,
    %x_stride: i64, %y_stride: i64)
    types [T = f16 in [f16, bf16]]
    params [BLOCK_M = 8 in [1, 8, 32], BLOCK_N = 128 in [8, 64, 128, 256],
            WARPS = 4 in [1, 2, 4, 8], ALIGN = 8 in [1, 2, 4, 8]]
    assuming ["columns % ALIGN == 0", "x_stride % ALIGN == 0", "y_stride % ALIGN == 0",
              "x % (2 * ALIGN) == 0", "y % (2 * ALIGN) == 0"]
    grid ["ceildiv(count, BLOCK_M)", "ceildiv(columns, BLOCK_N)", "1"] {
  %block_m = tile.param BLOCK_M : i32
  %block_n = tile.param BLOCK_N : i32
  %m_block = tile.program_id x : i32
  %n_block = tile.program_id y : i32
  %i = arith.muli %m_block, %block_m : i32
  %j = arith.muli %n_block, %block_n : i32

  %From = tile.view %from sizes [%count] strides [1] : !tile.ptr<i32> -> !tile.view<?xi32>
  %To = tile.view %to sizes [%count] strides [1] : !tile.ptr<i32> -> !tile.view<?xi32>
  %Scale = tile.view %scale sizes [%count] strides [1] : !tile.ptr<f32> -> !tile.view<?xf32>
  %X = tile.view %x sizes [%x_rows, %columns] strides [%x_stride, 1]
      : !tile.ptr<!elem> -> !tile.view<?x?x!elem>
  %Y = tile.view %y sizes [%y_rows, %columns] strides [%y_stride, 1]
      : !tile.ptr<!elem> -> !tile.view<?x?x!elem>

  %sources = tile.load %From[%i] padding -1 : i32 : !tile.view<?xi32> -> !rows
  %targets = tile.load %To[%i] padding -1 : i32 : !tile.view<?xi32> -> !rows
  %factors = tile.load %Scale[%i] : !tile.view<?xf32> -> !factors
  %values = tile.gather %X[%sources, %j] : !tile.view<?x?x!elem>, !rows -> !tile
  %wide = tile.cast %values : !tile -> !wide
  %factor = tile.broadcast %factors along 1 : !factors -> !wide
  %scaled = arith.mulf %wide, %factor : !wide
  %rounded = tile.cast %scaled : !wide -> !tile
  tile.scatter %rounded, %Y[%targets, %j] : !tile, !tile.view<?x?x!elem>, !rows
  tile.return
}
