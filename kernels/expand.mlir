// LoRA expand, for any mapping of tokens to adapters and slices of any widths:
//
//   y[t, offset[slice] : offset[slice] + width[slice]] (+)= s[slice, t, :] . B[slice, lora(t)]^T
//
// PROGRAMS_N programs share BLOCK_M tokens of one adapter and one slice; blocks of BLOCK_N columns go
// round among them. Rows of tokens without an adapter are not touched, nor are columns outside of
// the slices.
//
//   s  [slices, tokens, max_rank]    b              [slices, max_loras] pointers to [width, rank]
//   y  [tokens, y_width]             ranks          [max_loras], 0 for an empty slot
//                                    slice_offsets  [slices], first column of the slice in y
//                                    slice_widths   [slices]
//
// Row blocks are those of shrink.mlir. The products are taken in the weights' element type and added
// in f32. MAX_RANK bounds the rank of every adapter; kernels for ranks up to 16 and for larger ones
// order the products differently. With KEEP, the rows of s stay in shared memory, rounded, while the
// columns go by.

!w_elem = !tile.element<W>
!y_elem = !tile.element<Y>
!rows   = tensor<?xi32, #tile.shape<BLOCK_M>>
!s_tile = tensor<?x?xf32, #tile.shape<BLOCK_M, BLOCK_K>>
!w_tile = tensor<?x?x!tile.element<W>, #tile.shape<BLOCK_M, BLOCK_K>>
!b_tile = tensor<?x?x!tile.element<W>, #tile.shape<BLOCK_K, BLOCK_N>>
!sum    = tensor<?x?xf32, #tile.shape<BLOCK_M, BLOCK_N>>
!y_tile = tensor<?x?x!tile.element<Y>, #tile.shape<BLOCK_M, BLOCK_N>>

tile.kernel @expand(
    %s: !tile.ptr<f32>, %b: !tile.ptr<!tile.ptr<!w_elem>>, %y: !tile.ptr<!y_elem>,
    %token_indices: !tile.ptr<i32>, %row_blocks: !tile.ptr<i32>,
    %ranks: !tile.ptr<i32>, %slice_offsets: !tile.ptr<i32>, %slice_widths: !tile.ptr<i32>,
    %num_row_blocks: i32, %tokens: i32, %max_rank: i32, %max_width: i32, %y_width: i32,
    %slices: i32, %max_loras: i32,
    %s_stride: i64, %s_slice_stride: i64, %b_stride: i64, %y_stride: i64)
    types [Y = f16 in [f16, bf16], W = f16 in [f16, bf16]]
    params [BLOCK_M = 16 in [16, 32, 64, 128], BLOCK_N = 128 in [32, 64, 128, 256],
            PROGRAMS_N = 32 in [1, 2, 4, 8, 16, 32, 64, 128],
            BLOCK_K = 16 in [16, 32, 64, 128], MAX_RANK = 16 in [16, 32, 64, 128, 256, 512],
            WARPS = 4 in [1, 2, 4, 8], KEEP = 0 in [0, 1], ADD_INPUTS = 1 in [0, 1],
            RANK_ALIGN = 8 in [1, 2, 4, 8], Y_ALIGN = 8 in [1, 2, 4, 8]]
    where ["(BLOCK_K == 16) == (MAX_RANK == 16)", "BLOCK_K <= MAX_RANK", "BLOCK_M * BLOCK_N <= 2048 * WARPS", "BLOCK_N >= 32",
           "BLOCK_M / 16 * (BLOCK_N / 32) >= WARPS",
           "BLOCK_K * (BLOCK_M + BLOCK_N) <= 8192 * WARPS",
           "KEEP == 0 || BLOCK_K >= 64 || BLOCK_K == MAX_RANK",
           // As in shrink.mlir: 227 KB of shared memory.
           "KEEP == 0 || Y_ALIGN > 2 || BLOCK_M * (MAX_RANK * 2 + BLOCK_N * 4) <= 232192"]
    assuming ["max_rank <= MAX_RANK", "s_stride % RANK_ALIGN == 0", "s_slice_stride % RANK_ALIGN == 0",
              "s % (4 * RANK_ALIGN) == 0", "b_stride % RANK_ALIGN == 0",
              "y_stride % Y_ALIGN == 0", "y % (2 * Y_ALIGN) == 0"]
    awaits ["s", "y"]
    grid ["num_row_blocks * PROGRAMS_N", "slices", "1"] {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %block_n = tile.param BLOCK_N : i32

  // The slice of this plane, and its columns in y.
  %slice = tile.program_id y : i32
  %Offsets = tile.view %slice_offsets sizes [%slices] strides [1] : !tile.ptr<i32> -> !tile.view<?xi32>
  %Widths = tile.view %slice_widths sizes [%slices] strides [1] : !tile.ptr<i32> -> !tile.view<?xi32>
  %any_offset = tile.load_scalar %Offsets[%slice] : !tile.view<?xi32> -> i32
  %any_width = tile.load_scalar %Widths[%slice] : !tile.view<?xi32> -> i32
  %offset = tile.assume_divisible %any_offset by Y_ALIGN : i32
  %width = tile.assume_divisible %any_width by Y_ALIGN : i32

  // The row block of this program, and its first columns.
  %program = tile.program_id x : i32
  %programs_n = tile.param PROGRAMS_N : i32
  %row_block = arith.divui %program, %programs_n : i32
  %member = arith.remui %program, %programs_n : i32
  %first_n = arith.muli %member, %block_n : i32
  %step_n = tile.param "PROGRAMS_N * BLOCK_N" : i32

  // The tokens of this group of programs: at most BLOCK_M positions of one adapter.
  %RowBlocks = tile.view %row_blocks sizes [%num_row_blocks, %c4] strides [4, 1]
      : !tile.ptr<i32> -> !tile.view<?x?xi32>
  %lora = tile.load_scalar %RowBlocks[%row_block, %c0] : !tile.view<?x?xi32> -> i32
  %first = tile.load_scalar %RowBlocks[%row_block, %c1] : !tile.view<?x?xi32> -> i32
  %end = tile.load_scalar %RowBlocks[%row_block, %c2] : !tile.view<?x?xi32> -> i32

  %has_adapter = arith.cmpi sge, %lora, %c0 : i32
  %has_columns = arith.cmpi slt, %first_n, %width : i32
  %active = arith.andi %has_adapter, %has_columns : i1
  scf.if %active {
    %Ranks = tile.view %ranks sizes [%max_loras] strides [1] : !tile.ptr<i32> -> !tile.view<?xi32>
    %any_rank = tile.load_scalar %Ranks[%lora] : !tile.view<?xi32> -> i32
    %aligned_rank = tile.assume_divisible %any_rank by RANK_ALIGN : i32
    %most = tile.param MAX_RANK : i32
    %rank = arith.minsi %aligned_rank, %most : i32

    %Tokens = tile.view %token_indices sizes [%end] strides [1] : !tile.ptr<i32> -> !tile.view<?xi32>
    %rows = tile.load %Tokens[%first] padding -1 : i32 : !tile.view<?xi32> -> !rows

    %slots = arith.extui %max_loras : i32 to i64
    %Table = tile.view %b sizes [%slices, %max_loras] strides [%slots, 1]
        : !tile.ptr<!tile.ptr<!w_elem>> -> !tile.view<?x?x!tile.ptr<!w_elem>>
    %slot = tile.load_scalar %Table[%slice, %lora]
        : !tile.view<?x?x!tile.ptr<!w_elem>> -> !tile.ptr<!w_elem>
    %weights = tile.assume_divisible %slot by "2 * RANK_ALIGN" : !tile.ptr<!w_elem>

    %S = tile.view %s sizes [%slices, %tokens, %rank] strides [%s_slice_stride, %s_stride, 1]
        : !tile.ptr<f32> -> !tile.view<?x?x?xf32>
    %S_slice = tile.subview %S[%slice] : !tile.view<?x?x?xf32> -> !tile.view<?x?xf32>
    %B = tile.view %weights sizes [%width, %rank] strides [%b_stride, 1]
        : !tile.ptr<!w_elem> -> !tile.view<?x?x!w_elem>
    %Bt = tile.transpose %B : !tile.view<?x?x!w_elem>

    // A slice ends where its width says, also inside of y.
    %slice_end = arith.addi %offset, %width : i32
    %Y = tile.view %y sizes [%tokens, %slice_end] strides [%y_stride, 1]
        : !tile.ptr<!y_elem> -> !tile.view<?x?x!y_elem>
    %add_inputs = tile.param ADD_INPUTS : i1

    scf.for %n = %first_n to %width step %step_n : i32 {
      %sum, %mine = tile.sum %r below %rank step BLOCK_K -> !sum {
        %b_tile = tile.load %Bt[%r, %n] : !tile.view<?x?x!w_elem> -> !b_tile
        %s_tile = tile.gather %S_slice[%rows, %r] : !tile.view<?x?xf32>, !rows -> !s_tile
        %s_rounded = tile.cast %s_tile : !s_tile -> !w_tile
        %product = tile.dot %s_rounded, %b_tile : !w_tile, !b_tile -> !sum
        tile.yield %product : !sum
      }
      %column = arith.addi %offset, %n : i32
      scf.if %add_inputs {
        tile.scatter %sum, %Y[%rows, %column] accumulate : !sum, !tile.view<?x?x!y_elem>, !rows
      } else {
        %rounded = tile.cast %sum : !sum -> !y_tile
        tile.scatter %rounded, %Y[%rows, %column] : !y_tile, !tile.view<?x?x!y_elem>, !rows
      }
    }
  }
  tile.return
}
