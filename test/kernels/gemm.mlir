// RUN: lora-compile %s --arch=sm_80 -o %t.cubin
// RUN: lora-compile %s --arch=sm_90a -o %t.cubin
// RUN: lora-compile %s --arch=sm_80 --dtype=bf16 --set=STAGES=3,SPLIT_K=4,WARPS_K=2 -o %t.cubin
// RUN: lora-compile %s --arch=sm_90a --dtype=bf16 --set=STAGES=3,SPLIT_K=4,WARPS_K=2 -o %t.cubin
// REQUIRES: ptxas
//
// Product of two row-major matrices:
//
//   c = a . b        a [rows, depth]   b [depth, columns]   c [rows, columns]

!elem   = !tile.element<T>
!a_tile = tensor<?x?x!tile.element<T>, #tile.shape<BLOCK_M, BLOCK_K>>
!b_tile = tensor<?x?x!tile.element<T>, #tile.shape<BLOCK_K, BLOCK_N>>
!c_tile = tensor<?x?x!tile.element<T>, #tile.shape<BLOCK_M, BLOCK_N>>
!sum    = tensor<?x?xf32, #tile.shape<BLOCK_M, BLOCK_N>>

tile.kernel @gemm(
    %a: !tile.ptr<!elem>, %b: !tile.ptr<!elem>, %c: !tile.ptr<!elem>,
    %rows: i32, %columns: i32, %depth: i32, %a_stride: i64, %b_stride: i64, %c_stride: i64)
    types [T = f16 in [f16, bf16]]
    params [BLOCK_M = 32 in [16, 32, 64], BLOCK_N = 32 in [8, 16, 32, 64, 128],
            BLOCK_K = 32 in [16, 32, 64, 128], SPLIT_K = 1 in [1, 2, 4],
            WARPS = 4 in [1, 2, 4, 8], WARPS_K = 1 in [1, 2, 4], STAGES = 1 in [1, 2, 3],
            ALIGN = 8 in [1, 2, 4, 8]]
    assuming ["depth % ALIGN == 0", "columns % ALIGN == 0",
              "a_stride % ALIGN == 0", "b_stride % ALIGN == 0", "c_stride % ALIGN == 0",
              "a % (2 * ALIGN) == 0", "b % (2 * ALIGN) == 0", "c % (2 * ALIGN) == 0"]
    grid ["ceildiv(rows, BLOCK_M) * SPLIT_K", "ceildiv(columns, BLOCK_N)", "1"] {
  %block_m = tile.param BLOCK_M : i32
  %block_n = tile.param BLOCK_N : i32
  %split_k = tile.param SPLIT_K : i32
  %program = tile.program_id x : i32
  %m_block = arith.divui %program, %split_k : i32
  %n_block = tile.program_id y : i32
  %i = arith.muli %m_block, %block_m : i32
  %j = arith.muli %n_block, %block_n : i32

  %A = tile.view %a sizes [%rows, %depth] strides [%a_stride, 1]
      : !tile.ptr<!elem> -> !tile.view<?x?x!elem>
  %B = tile.view %b sizes [%depth, %columns] strides [%b_stride, 1]
      : !tile.ptr<!elem> -> !tile.view<?x?x!elem>
  %C = tile.view %c sizes [%rows, %columns] strides [%c_stride, 1]
      : !tile.ptr<!elem> -> !tile.view<?x?x!elem>

  %sum, %mine = tile.sum %k below %depth step BLOCK_K split SPLIT_K across x to one -> !sum {
    %a_tile = tile.load %A[%i, %k] : !tile.view<?x?x!elem> -> !a_tile
    %b_tile = tile.load %B[%k, %j] : !tile.view<?x?x!elem> -> !b_tile
    %product = tile.dot %a_tile, %b_tile : !a_tile, !b_tile -> !sum
    tile.yield %product : !sum
  }
  scf.if %mine {
    %rounded = tile.cast %sum : !sum -> !c_tile
    tile.store %rounded, %C[%i, %j] : !c_tile, !tile.view<?x?x!elem>
  }
  tile.return
}
