//===- MmaLayouts.h - Layouts of the operands of mma.sync -------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// `mma.sync.m16n8k16` wants, in lane `4g + t`, rows g and g + 8 of the left operand at k = 2t,
// 2t + 1, 2t + 8 and 2t + 9. Which element of a row plays which k is free as long as the right
// operand agrees, so that lane t can hold `kVector` consecutive elements of its rows: 16 bytes of a
// 16-bit type where the tile is 32 or more deep. No element then changes place between global
// memory and the tensor core. Columns are permuted likewise, so that each lane ends up with up to
// eight consecutive columns of the product.
//
// The assignment depends on the depth of the tile alone, never on the operand path or the
// alignment: it is part of the canonical reduction order.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "lora/Layout/Layout.h"

namespace lora {

/// A product of an m x k by a k x n tile shared by warpsM * warpsN * warpsK warps. Warps that
/// differ only in their k part hold the same places of (different) tiles. Warp number:
/// m part + warpsM * (n part + warpsN * k part).
struct MmaTile {
  int m, n, k;
  int warpsM = 1, warpsN = 1, warpsK = 1;

  /// Consecutive elements along k that a lane holds: 8, or 4 in a tile that is 16 deep.
  int kVector() const { return k >= 32 ? 8 : 4; }

  /// Why no layout exists for these sizes, or an empty string.
  std::string problem() const;

  Layout lhs() const;         ///< Of the m x k operand.
  Layout rhs() const;         ///< Of the k x n operand.
  Layout accumulator() const; ///< Of the m x n product.
};

/// How warps share a product: which operand many of them may read.
enum class WarpOrder {
  RowsFirst,    ///< Few warps read the same rows of the left operand.
  ColumnsFirst, ///< Few warps read the same columns of the right operand, but at least 32 columns.
  LeastTraffic, ///< All warps together read the least.
};

/// Shares `warps` warps among the rows and columns of a product, as far as its size allows.
void shareWarps(MmaTile &tile, int warps, WarpOrder order);

/// The registers of one lane that enter one mma instruction. `step` counts elements of k.
struct MmaFragments {
  std::vector<int> lhs, rhs;
  std::array<int, 4> accumulator;
};

/// All instructions that a warp issues for one tile product, those of one accumulator fragment in
/// the canonical order of k. `depth` is the k of the instruction: 16, or 8 for tf32.
std::vector<MmaFragments> mmaInstructions(const Layout &lhs, const Layout &rhs,
                                          const Layout &accumulator, int depth);

} // namespace lora
