// LoRA shrink and expand in one launch:
//
//   y[t, offset[slice] : offset[slice] + width[slice]] +=
//       (scaling[lora(t)] * x[t, :] . A[slice, lora(t)]^T) . B[slice, lora(t)]^T
//
// A group of SPLIT_K programs serves BLOCK_M tokens of one adapter and one slice. Each shrinks its
// part of the columns of x; the sum, which never leaves the chip, is visible to all of them, and
// each expands it to its share of the columns of y. Names are those of shrink.mlir and expand.mlir.

!x_elem = !tile.element<X>
!w_elem = !tile.element<W>
!rows   = tensor<?xi32, #tile.shape<BLOCK_M>>
!x_tile = tensor<?x?x!tile.element<X>, #tile.shape<BLOCK_M, BLOCK_K>>
!a_tile = tensor<?x?x!tile.element<W>, #tile.shape<BLOCK_K, MAX_RANK>>
!s_tile = tensor<?x?xf32, #tile.shape<BLOCK_M, MAX_RANK>>
!w_tile = tensor<?x?x!tile.element<W>, #tile.shape<BLOCK_M, MAX_RANK>>
!b_tile = tensor<?x?x!tile.element<W>, #tile.shape<MAX_RANK, BLOCK_N>>
!y_tile = tensor<?x?xf32, #tile.shape<BLOCK_M, BLOCK_N>>

tile.kernel @shrink_expand(
    %x: !tile.ptr<!x_elem>, %a: !tile.ptr<!tile.ptr<!w_elem>>, %b: !tile.ptr<!tile.ptr<!w_elem>>,
    %y: !tile.ptr<!x_elem>, %token_indices: !tile.ptr<i32>, %row_blocks: !tile.ptr<i32>,
    %ranks: !tile.ptr<i32>, %scalings: !tile.ptr<f32>, %slice_offsets: !tile.ptr<i32>,
    %slice_widths: !tile.ptr<i32>,
    %num_row_blocks: i32, %tokens: i32, %hidden: i32, %max_rank: i32, %slices: i32,
    %max_loras: i32,
    %x_stride: i64, %a_stride: i64, %b_stride: i64, %y_stride: i64)
    types [X = f16 in [f16, bf16], W = f16 in [f16, bf16]]
    params [BLOCK_M = 16 in [16, 32, 64], BLOCK_N = 128 in [32, 64, 128, 256, 512],
            BLOCK_K = 128 in [32, 64, 128], MAX_RANK = 16 in [16, 32, 64, 128],
            SPLIT_K = 8 in [1, 2, 4, 8, 16], SPLIT_N = 1 in [1, 2, 4, 8],
            WARPS = 4 in [1, 2, 4, 8, 16], WARPS_K = 4 in [1, 2, 4, 8, 16],
            STAGES = 1 in [1, 2, 3, 4], RING = 1 in [0, 1],
            ALIGN = 8 in [1, 2, 4, 8], RANK_ALIGN = 8 in [1, 2, 4, 8], Y_ALIGN = 8 in [1, 2, 4, 8]]
    where ["WARPS % WARPS_K == 0", "WARPS / WARPS_K * 16 <= BLOCK_M", "WARPS_K * SPLIT_K <= 64",
           "RING == 1 || STAGES == 2", "STAGES * RING <= 1 || ALIGN >= 2", "BLOCK_M * MAX_RANK * WARPS_K <= 1024 * WARPS",
           "BLOCK_M * BLOCK_N <= 2048 * WARPS", "BLOCK_M / 16 * (BLOCK_N / 32) >= WARPS",
           "MAX_RANK * (BLOCK_M + BLOCK_N) <= 8192 * WARPS",
           // As in shrink.mlir: 227 KB of shared memory.
           "(SPLIT_K / 2 * 2 + WARPS_K) * BLOCK_M * MAX_RANK * 4 <= 232192",
           "Y_ALIGN > 2 || SPLIT_K / 2 * 2 * BLOCK_M * MAX_RANK * 4 + BLOCK_M * BLOCK_N * 4 <= 232192",
           "STAGES * RING <= 1 || SPLIT_K / 2 * 2 * BLOCK_M * MAX_RANK * 4 + STAGES * WARPS_K * (BLOCK_M + MAX_RANK) * BLOCK_K * 2 <= 232192"]
    assuming ["max_rank <= MAX_RANK", "hidden % ALIGN == 0", "x_stride % ALIGN == 0",
              "a_stride % ALIGN == 0", "x % (2 * ALIGN) == 0", "b_stride % RANK_ALIGN == 0",
              "y_stride % Y_ALIGN == 0", "y % (2 * Y_ALIGN) == 0"]
    awaits ["x", "y"]
    grid ["num_row_blocks * SPLIT_N * SPLIT_K", "slices", "1"] {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %block_n = tile.param BLOCK_N : i32

  %slice = tile.program_id y : i32
  %Offsets = tile.view %slice_offsets sizes [%slices] strides [1] : !tile.ptr<i32> -> !tile.view<?xi32>
  %Widths = tile.view %slice_widths sizes [%slices] strides [1] : !tile.ptr<i32> -> !tile.view<?xi32>
  %any_offset = tile.load_scalar %Offsets[%slice] : !tile.view<?xi32> -> i32
  %any_width = tile.load_scalar %Widths[%slice] : !tile.view<?xi32> -> i32
  %offset = tile.assume_divisible %any_offset by Y_ALIGN : i32
  %width = tile.assume_divisible %any_width by Y_ALIGN : i32

  // SPLIT_N groups repeat the shrink of the same tokens, each for other columns of y.
  %program = tile.program_id x : i32
  %sharing = tile.param "SPLIT_N * SPLIT_K" : i32
  %row_block = arith.divui %program, %sharing : i32
  %member = arith.remui %program, %sharing : i32

  // The tokens of this group of programs: at most BLOCK_M positions of one adapter.
  %RowBlocks = tile.view %row_blocks sizes [%num_row_blocks, %c4] strides [4, 1]
      : !tile.ptr<i32> -> !tile.view<?x?xi32>
  %lora = tile.load_scalar %RowBlocks[%row_block, %c0] : !tile.view<?x?xi32> -> i32
  %first = tile.load_scalar %RowBlocks[%row_block, %c1] : !tile.view<?x?xi32> -> i32
  %end = tile.load_scalar %RowBlocks[%row_block, %c2] : !tile.view<?x?xi32> -> i32

  %has_adapter = arith.cmpi sge, %lora, %c0 : i32
  scf.if %has_adapter {
    %Ranks = tile.view %ranks sizes [%max_loras] strides [1] : !tile.ptr<i32> -> !tile.view<?xi32>
    %Scalings = tile.view %scalings sizes [%max_loras] strides [1] : !tile.ptr<f32> -> !tile.view<?xf32>
    %any_rank = tile.load_scalar %Ranks[%lora] : !tile.view<?xi32> -> i32
    %rank = tile.assume_divisible %any_rank by RANK_ALIGN : i32
    %scaling = tile.load_scalar %Scalings[%lora] : !tile.view<?xf32> -> f32

    %Tokens = tile.view %token_indices sizes [%end] strides [1] : !tile.ptr<i32> -> !tile.view<?xi32>
    %rows = tile.load %Tokens[%first] padding -1 : i32 : !tile.view<?xi32> -> !rows

    %slots = arith.extui %max_loras : i32 to i64
    %TableA = tile.view %a sizes [%slices, %max_loras] strides [%slots, 1]
        : !tile.ptr<!tile.ptr<!w_elem>> -> !tile.view<?x?x!tile.ptr<!w_elem>>
    %TableB = tile.view %b sizes [%slices, %max_loras] strides [%slots, 1]
        : !tile.ptr<!tile.ptr<!w_elem>> -> !tile.view<?x?x!tile.ptr<!w_elem>>
    %slot_a = tile.load_scalar %TableA[%slice, %lora]
        : !tile.view<?x?x!tile.ptr<!w_elem>> -> !tile.ptr<!w_elem>
    %slot_b = tile.load_scalar %TableB[%slice, %lora]
        : !tile.view<?x?x!tile.ptr<!w_elem>> -> !tile.ptr<!w_elem>
    %weights_a = tile.assume_divisible %slot_a by "2 * ALIGN" : !tile.ptr<!w_elem>
    %weights_b = tile.assume_divisible %slot_b by "2 * RANK_ALIGN" : !tile.ptr<!w_elem>

    %X = tile.view %x sizes [%tokens, %hidden] strides [%x_stride, 1]
        : !tile.ptr<!x_elem> -> !tile.view<?x?x!x_elem>
    %A = tile.view %weights_a sizes [%rank, %hidden] strides [%a_stride, 1]
        : !tile.ptr<!w_elem> -> !tile.view<?x?x!w_elem>
    %B = tile.view %weights_b sizes [%width, %rank] strides [%b_stride, 1]
        : !tile.ptr<!w_elem> -> !tile.view<?x?x!w_elem>
    %At = tile.transpose %A : !tile.view<?x?x!w_elem>
    %Bt = tile.transpose %B : !tile.view<?x?x!w_elem>
    %slice_end = arith.addi %offset, %width : i32
    %Y = tile.view %y sizes [%tokens, %slice_end] strides [%y_stride, 1]
        : !tile.ptr<!x_elem> -> !tile.view<?x?x!x_elem>

    %sum, %mine = tile.sum %k below %hidden step BLOCK_K split SPLIT_K across x to all -> !s_tile {
      %a_tile = tile.load %At[%k, %c0] : !tile.view<?x?x!w_elem> -> !a_tile
      %x_tile = tile.gather %X[%rows, %k] : !tile.view<?x?x!x_elem>, !rows -> !x_tile
      %product = tile.dot %x_tile, %a_tile : !x_tile, !a_tile -> !s_tile
      tile.yield %product : !s_tile
    }
    %factor = tile.splat %scaling : f32 -> !s_tile
    %scaled = arith.mulf %sum, %factor : !s_tile
    %shrunk = tile.cast %scaled : !s_tile -> !w_tile

    // The columns of y go round among the programs that share these tokens.
    %first_n = arith.muli %member, %block_n : i32
    %step_n = tile.param "SPLIT_N * SPLIT_K * BLOCK_N" : i32
    scf.for %n = %first_n to %width step %step_n : i32 {
      %b_tile = tile.load %Bt[%c0, %n] : !tile.view<?x?x!w_elem> -> !b_tile
      %product = tile.dot %shrunk, %b_tile : !w_tile, !b_tile -> !y_tile
      %column = arith.addi %offset, %n : i32
      tile.scatter %product, %Y[%rows, %column] accumulate : !y_tile, !tile.view<?x?x!x_elem>, !rows
    }
  }
  tile.return
}
