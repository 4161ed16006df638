// LoRA shrink, for any mapping of tokens to adapters and any number of slices:
//
//   s[slice, t, :] = scaling[lora(t)] * x[t, :] . A[slice, lora(t)]^T
//
// One group of SPLIT_K programs computes BLOCK_M tokens of one adapter times BLOCK_N ranks of one
// slice. Rows of tokens without an adapter are not touched; ranks beyond the adapter's own are zero.
//
//   x        [tokens, hidden]              a        [slices, max_loras] pointers to [rank, hidden]
//   s        [slices, tokens, max_rank]    ranks    [max_loras], 0 for an empty slot
//   scalings [max_loras]
//
// The mapping is a list of row blocks [num_row_blocks, 4]: adapter slot, first and last position
// (exclusive) in token_indices, unused. A block has at most BLOCK_M positions; one whose slot is
// negative is idle.

!x_elem = !tile.element<X>
!w_elem = !tile.element<W>
!rows   = tensor<?xi32, #tile.shape<BLOCK_M>>
!x_tile = tensor<?x?x!tile.element<X>, #tile.shape<BLOCK_M, BLOCK_K>>
!a_tile = tensor<?x?x!tile.element<W>, #tile.shape<BLOCK_K, BLOCK_N>>
!s_tile = tensor<?x?xf32, #tile.shape<BLOCK_M, BLOCK_N>>

tile.kernel @shrink(
    %x: !tile.ptr<!x_elem>, %a: !tile.ptr<!tile.ptr<!w_elem>>, %s: !tile.ptr<f32>,
    %token_indices: !tile.ptr<i32>, %row_blocks: !tile.ptr<i32>,
    %ranks: !tile.ptr<i32>, %scalings: !tile.ptr<f32>,
    %num_row_blocks: i32, %tokens: i32, %hidden: i32, %max_rank: i32, %slices: i32,
    %max_loras: i32,
    %x_stride: i64, %a_stride: i64, %s_stride: i64, %s_slice_stride: i64)
    types [X = f16 in [f16, bf16], W = f16 in [f16, bf16]]
    params [BLOCK_M = 16 in [16, 32, 64, 128], BLOCK_N = 16 in [8, 16, 32, 64, 128],
            BLOCK_K = 128 in [32, 64, 128], SPLIT_K = 1 in [1, 2, 4, 8, 16],
            WARPS = 4 in [1, 2, 4, 8], WARPS_K = 4 in [1, 2, 4, 8], STAGES = 1 in [1, 2, 3, 4], RING = 1 in [0, 1],
            ALIGN = 8 in [1, 2, 4, 8], RANK_ALIGN = 4 in [1, 2, 4]]
    where ["WARPS % WARPS_K == 0", "BLOCK_M / 16 * (BLOCK_N / 8) >= WARPS / WARPS_K", "WARPS_K * SPLIT_K <= 64",
           "RING == 1 || STAGES == 2", "STAGES * RING <= 1 || ALIGN >= 2", "BLOCK_M * BLOCK_N * WARPS_K <= 1024 * WARPS",
           "BLOCK_K * (BLOCK_M + BLOCK_N) * WARPS_K <= 8192 * WARPS",
           // The 227 KB of shared memory of sm_90a hold a tile of the sum for each of the programs
           // that share it, and beside these the tiles of the warps, or the stages. Where a target
           // has less, the compiler says so.
           "(SPLIT_K / 2 * 2 + WARPS_K) * BLOCK_M * BLOCK_N * 4 <= 232192",
           "STAGES * RING <= 1 || SPLIT_K / 2 * 2 * BLOCK_M * BLOCK_N * 4 + STAGES * WARPS_K * (BLOCK_M + BLOCK_N) * BLOCK_K * 2 <= 232192"]
    assuming ["hidden % ALIGN == 0", "x_stride % ALIGN == 0", "a_stride % ALIGN == 0",
              "x % (2 * ALIGN) == 0", "max_rank % RANK_ALIGN == 0", "s_stride % RANK_ALIGN == 0",
              "s_slice_stride % RANK_ALIGN == 0", "s % (4 * RANK_ALIGN) == 0"]
    awaits ["x", "s"]
    grid ["num_row_blocks * ceildiv(max_rank, BLOCK_N) * SPLIT_K", "slices", "1"] {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %block_n = tile.param BLOCK_N : i32
  %split_k = tile.param SPLIT_K : i32

  // The row block and the ranks of this group of programs.
  %program = tile.program_id x : i32
  %group = arith.divui %program, %split_k : i32
  %blocks_n = arith.ceildivui %max_rank, %block_n : i32
  %row_block = arith.divui %group, %blocks_n : i32
  %n_block = arith.remui %group, %blocks_n : i32
  %n = arith.muli %n_block, %block_n : i32

  // The tokens of this group of programs: at most BLOCK_M positions of one adapter.
  %RowBlocks = tile.view %row_blocks sizes [%num_row_blocks, %c4] strides [4, 1]
      : !tile.ptr<i32> -> !tile.view<?x?xi32>
  %lora = tile.load_scalar %RowBlocks[%row_block, %c0] : !tile.view<?x?xi32> -> i32
  %first = tile.load_scalar %RowBlocks[%row_block, %c1] : !tile.view<?x?xi32> -> i32
  %end = tile.load_scalar %RowBlocks[%row_block, %c2] : !tile.view<?x?xi32> -> i32

  %has_adapter = arith.cmpi sge, %lora, %c0 : i32
  scf.if %has_adapter {
    %slice = tile.program_id y : i32
    %Ranks = tile.view %ranks sizes [%max_loras] strides [1] : !tile.ptr<i32> -> !tile.view<?xi32>
    %Scalings = tile.view %scalings sizes [%max_loras] strides [1] : !tile.ptr<f32> -> !tile.view<?xf32>
    %rank = tile.load_scalar %Ranks[%lora] : !tile.view<?xi32> -> i32
    %scaling = tile.load_scalar %Scalings[%lora] : !tile.view<?xf32> -> f32

    %Tokens = tile.view %token_indices sizes [%end] strides [1] : !tile.ptr<i32> -> !tile.view<?xi32>
    %rows = tile.load %Tokens[%first] padding -1 : i32 : !tile.view<?xi32> -> !rows

    %slots = arith.extui %max_loras : i32 to i64
    %Table = tile.view %a sizes [%slices, %max_loras] strides [%slots, 1]
        : !tile.ptr<!tile.ptr<!w_elem>> -> !tile.view<?x?x!tile.ptr<!w_elem>>
    %slot = tile.load_scalar %Table[%slice, %lora]
        : !tile.view<?x?x!tile.ptr<!w_elem>> -> !tile.ptr<!w_elem>
    %weights = tile.assume_divisible %slot by "2 * ALIGN" : !tile.ptr<!w_elem>

    %X = tile.view %x sizes [%tokens, %hidden] strides [%x_stride, 1]
        : !tile.ptr<!x_elem> -> !tile.view<?x?x!x_elem>
    %A = tile.view %weights sizes [%rank, %hidden] strides [%a_stride, 1]
        : !tile.ptr<!w_elem> -> !tile.view<?x?x!w_elem>
    %At = tile.transpose %A : !tile.view<?x?x!w_elem>

    %sum, %mine = tile.sum %k below %hidden step BLOCK_K split SPLIT_K across x to one -> !s_tile {
      %a_tile = tile.load %At[%k, %n] : !tile.view<?x?x!w_elem> -> !a_tile
      %x_tile = tile.gather %X[%rows, %k] : !tile.view<?x?x!x_elem>, !rows -> !x_tile
      %product = tile.dot %x_tile, %a_tile : !x_tile, !a_tile -> !s_tile
      tile.yield %product : !s_tile
    }

    scf.if %mine {
      %factor = tile.splat %scaling : f32 -> !s_tile
      %scaled = arith.mulf %sum, %factor : !s_tile
      %S = tile.view %s sizes [%slices, %tokens, %max_rank] strides [%s_slice_stride, %s_stride, 1]
          : !tile.ptr<f32> -> !tile.view<?x?x?xf32>
      %S_slice = tile.subview %S[%slice] : !tile.view<?x?x?xf32> -> !tile.view<?x?xf32>
      tile.scatter %scaled, %S_slice[%rows, %n] : !s_tile, !tile.view<?x?xf32>, !rows
    }
  }
  tile.return
}
