//===- RowBlocks.h - Tokens in blocks of one adapter ----------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace lora {

/// Consecutive positions of token_indices that have one adapter, as kernels read them. Kernels skip
/// an idle one; its other numbers are then not used.
struct RowBlock {
  /// The adapter slot, or -1 if idle.
  int32_t slot = -1;
  /// Positions in token_indices, the end exclusive.
  int32_t begin = -1, end = -1;
  int32_t unused = -1;

  bool operator==(const RowBlock &) const = default;
};

/// The values of BLOCK_M, in tokens, that row blocks are listed for.
inline constexpr std::array<int32_t, 4> kRowBlockSizes = {16, 32, 64, 128};

/// The most row blocks of blockM tokens that any mapping of the given number of tokens to at most
/// the given number of adapters has.
constexpr int64_t maxRowBlocks(int64_t tokens, int64_t adapters, int64_t blockM) {
  // All but one token of each adapter fill whole blocks at best, which leaves one block for each.
  int64_t used = std::min(tokens, adapters);
  return (tokens - used) / blockM + used;
}

} // namespace lora
