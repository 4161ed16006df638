// RUN: lora-compile %s --arch=sm_80 -o %t.cubin
// RUN: lora-compile %s --arch=sm_90a -o %t.cubin
// RUN: lora-compile %s --arch=sm_80 --dtype=bf16 --set=STAGES=2,WARPS_K=2 -o %t.cubin
// RUN: lora-compile %s --arch=sm_90a --dtype=bf16 --set=STAGES=2,WARPS_K=2 -o %t.cubin
// REQUIRES: ptxas
//
// One product for each group of consecutive rows, as in a mixture of experts:
//
//   c[i, :] = a[i, :] . b[g]^T    for starts[g] <= i < starts[g + 1]
//
//   a [rows, depth]   b [groups, columns, depth]   c [rows, columns]   starts [groups + 1]
//
// Groups may be empty. No group has more than max_rows rows.

!elem   = !tile.element<T>
!a_tile = tensor<?x?x!tile.element<T>, #tile.shape<BLOCK_M, BLOCK_K>>
!b_tile = tensor<?x?x!tile.element<T>, #tile.shape<BLOCK_K, BLOCK_N>>
!c_tile = tensor<?x?x!tile.element<T>, #tile.shape<BLOCK_M, BLOCK_N>>
!sum    = tensor<?x?xf32, #tile.shape<BLOCK_M, BLOCK_N>>

tile.kernel @grouped_gemm(
    %a: !tile.ptr<!elem>, %b: !tile.ptr<!elem>, %c: !tile.ptr<!elem>, %starts: !tile.ptr<i32>,
    %groups: i32, %max_rows: i32, %columns: i32, %depth: i32,
    %a_stride: i64, %b_stride: i64, %b_group_stride: i64, %c_stride: i64)
    types [T = f16 in [f16, bf16]]
    params [BLOCK_M = 16 in [16, 32, 64], BLOCK_N = 64 in [16, 32, 64, 128],
            BLOCK_K = 64 in [32, 64, 128], WARPS = 4 in [1, 2, 4, 8], WARPS_K = 1 in [1, 2, 4],
            STAGES = 1 in [1, 2, 3], ALIGN = 8 in [1, 2, 4, 8]]
    assuming ["depth % ALIGN == 0", "columns % ALIGN == 0", "a_stride % ALIGN == 0",
              "b_stride % ALIGN == 0", "b_group_stride % ALIGN == 0", "c_stride % ALIGN == 0",
              "a % (2 * ALIGN) == 0", "b % (2 * ALIGN) == 0", "c % (2 * ALIGN) == 0"]
    grid ["ceildiv(max_rows, BLOCK_M)", "ceildiv(columns, BLOCK_N)", "groups"] {
  %c1 = arith.constant 1 : i32
  %block_m = tile.param BLOCK_M : i32
  %block_n = tile.param BLOCK_N : i32

  // The rows of this program's group.
  %group = tile.program_id z : i32
  %bounds = arith.addi %groups, %c1 : i32
  %Starts = tile.view %starts sizes [%bounds] strides [1] : !tile.ptr<i32> -> !tile.view<?xi32>
  %next = arith.addi %group, %c1 : i32
  %begin = tile.load_scalar %Starts[%group] : !tile.view<?xi32> -> i32
  %end = tile.load_scalar %Starts[%next] : !tile.view<?xi32> -> i32

  %m_block = tile.program_id x : i32
  %n_block = tile.program_id y : i32
  %m = arith.muli %m_block, %block_m : i32
  %j = arith.muli %n_block, %block_n : i32
  %i = arith.addi %begin, %m : i32
  %has_rows = arith.cmpi slt, %i, %end : i32
  scf.if %has_rows {
    %A = tile.view %a sizes [%end, %depth] strides [%a_stride, 1]
        : !tile.ptr<!elem> -> !tile.view<?x?x!elem>
    %B = tile.view %b sizes [%groups, %columns, %depth] strides [%b_group_stride, %b_stride, 1]
        : !tile.ptr<!elem> -> !tile.view<?x?x?x!elem>
    %B_group = tile.subview %B[%group] : !tile.view<?x?x?x!elem> -> !tile.view<?x?x!elem>
    %Bt = tile.transpose %B_group : !tile.view<?x?x!elem>
    %C = tile.view %c sizes [%end, %columns] strides [%c_stride, 1]
        : !tile.ptr<!elem> -> !tile.view<?x?x!elem>

    %sum, %all = tile.sum %k below %depth step BLOCK_K -> !sum {
      %a_tile = tile.load %A[%i, %k] : !tile.view<?x?x!elem> -> !a_tile
      %b_tile = tile.load %Bt[%k, %j] : !tile.view<?x?x!elem> -> !b_tile
      %product = tile.dot %a_tile, %b_tile : !a_tile, !b_tile -> !sum
      tile.yield %product : !sum
    }
    %rounded = tile.cast %sum : !sum -> !c_tile
    tile.store %rounded, %C[%i, %j] : !c_tile, !tile.view<?x?x!elem>
  }
  tile.return
}
