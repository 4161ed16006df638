//===- Passes.td - Passes over the tile dialect --------------*- tablegen -*-===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef LORA_TRANSFORMS_PASSES
#define LORA_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def TileSpecialize : Pass<"tile-specialize"> {
  let summary = "Bind the parameters of kernels";
  let description = [{
    Every parameter gets its value: from `set`, else from the kernel's `config`, else its default.
    Values that are no candidates, unknown names and violated `where` clauses are errors.

    Afterwards no parameter is left: tile sizes are static, `!tile.element` and `#tile.shape` are
    gone, `tile.cast` is `arith.extf`, `arith.truncf` or nothing, and `config` holds all values.
  }];
  let options = [
    ListOption<"set", "set", "std::string", "parameters to bind, as NAME=VALUE">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def TileKeepOperands : Pass<"tile-keep-operands"> {
  let summary = "Keep what a loop multiplies by again and again in shared memory";
  let description = [{
    Where the kernel's parameter `KEEP` is 1: if a `tile.sum` in an `scf.for` has the same left
    operand in each iteration of the loop, the operand is computed before the loop, for all of the
    reduced dimension, and the sum takes a `tile.slice` of it. The dimension needs a known bound,
    and a slice at least 128 bytes a row.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def TileSimplify : Pass<"tile-simplify"> {
  let summary = "Prove facts about sums and accesses";
  let description = [{
    A `tile.sum` that one program evaluates and whose extent is known not to exceed its step is
    replaced by its body, and by zero where the extent is not positive.

    Derives, from the kernel's `assuming` clauses and `tile.assume_divisible`, how far each access
    is aligned and in which dimensions it cannot leave its view, and records it as `alignment` (in
    bytes, at most 16; elements come in groups of this size that are all inside the view or all
    outside) and `in_bounds`. Facts that are already there are kept.

    Afterwards no check is made that a size or divisibility fact makes useless.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def TilePrefetch : Pass<"tile-prefetch"> {
  let summary = "Start loads before they are needed";
  let description = [{
    - An accumulating store becomes a load of the old values, an addition in `f32` and a store.
    - Loads that are the same in each iteration of an `scf.for` move ahead of it.
    - In an `scf.for`, loads whose addresses follow from the induction variable alone are made one
      iteration ahead; the first ones stand before the loop.
    - Loads that do not depend on a `tile.sum` before them move ahead of it.

    A load moves only over code that writes nothing, or writes to other pointers, or, in a loop, to
    the very place that it reads itself. Bounds come from views, so a load of too much reads zeros.

    Afterwards no `accumulate` is left.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def TileSchedule : Pass<"tile-schedule"> {
  let summary = "Decide how each tile.sum is computed";
  let description = [{
    Gives each `tile.sum` a `#tile.schedule` from the kernel's `WARPS`, `WARPS_K`, `STAGES` and
    `RING`: how warps share rows, columns and the reduced dimension; how many blocks are under way,
    and whether operands go directly to registers or, with more than one stage unless `RING` is 0,
    through a ring in shared memory; how programs of a split sum combine their parts. A schedule that
    is already there is kept.

    Afterwards each `tile.sum` has a schedule that its tile sizes allow.
  }];
}

def TileAssignLayouts : Pass<"tile-assign-layouts"> {
  let summary = "Give every tile a layout";
  let description = [{
    The operands of a `tile.dot` get the layouts of tensor core fragments, stored tiles the layout
    of the product they come from, unless rows are aligned to so little that neighbouring threads
    had better store neighbouring elements, and everything else what its users ask for: loads, index tiles
    and elementwise ops are computed once per layout wanted. Where a product or a loop-carried tile
    is wanted in another layout than its own, and where an operand passes through shared memory,
    a `tile.convert_layout` appears.

    Afterwards every tile type carries a `#tile.layout`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

#endif // LORA_TRANSFORMS_PASSES
