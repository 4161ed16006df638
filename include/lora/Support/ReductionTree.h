//===- ReductionTree.h - The canonical order of a sum -----------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// A sum over a long dimension is cut into leaves, each leaf is accumulated from its first element
// to its last, and the leaves are combined by a full binary tree. The tree depends on the extent
// alone. A configuration only decides which warp or program evaluates which subtree, so that every
// configuration, batch size and position gives the same bits.
//
//===----------------------------------------------------------------------===//

#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace lora {

/// The canonical reduction tree over `extent` elements.
///
/// The dimension is cut into units of `kUnit` elements (the last may be partial), and the units
/// into `leaves()` contiguous leaves, a power of two, whose sizes differ by at most one unit. Node
/// `i` of level `l` is the sum of nodes `2i` and `2i + 1` of level `l - 1`, left operand first.
class ReductionTree {
public:
  static constexpr int64_t kUnit = 128;
  static constexpr int64_t kMaxLeaves = 64;

  explicit constexpr ReductionTree(int64_t extent)
      : extent(extent), units((extent + kUnit - 1) / kUnit),
        numLeaves(std::clamp<int64_t>(
            std::bit_floor(static_cast<uint64_t>(std::max<int64_t>(units, 1))), 1, kMaxLeaves)) {}

  constexpr int64_t leaves() const { return numLeaves; }

  /// First element of a leaf; `leafBegin(leaves())` is the extent.
  constexpr int64_t leafBegin(int64_t leaf) const {
    return std::min(leaf * units / numLeaves * kUnit, extent);
  }

  /// First leaf of part `part` of `parts`, a power of two; the part ends where the next begins.
  /// Each part is a subtree. With more parts than leaves some parts are empty and count as zero.
  constexpr int64_t partBegin(int64_t part, int64_t parts) const {
    return (part * numLeaves + parts - 1) / parts;
  }

private:
  int64_t extent, units, numLeaves;
};

} // namespace lora
