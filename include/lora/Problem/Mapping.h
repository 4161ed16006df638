//===- Mapping.h - Which token uses which adapter -------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "lora/Support/RowBlocks.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace lora {

/// A batch of tokens, grouped by adapter.
struct Mapping {
  /// [tokens]: the adapter slot of each token, or -1 for none.
  std::vector<int32_t> tokenLora;
  /// The tokens that have an adapter, sorted by its slot. Tokens of one adapter keep their order.
  std::vector<int32_t> tokenIndices;
  /// The tokens of each adapter that has any, in ascending order of the slot.
  std::vector<RowBlock> adapters;

  /// Groups tokens by their adapter slots. Throws Error with the position and the value if a slot
  /// is not in -1 to maxLoras - 1.
  static Mapping build(std::span<const int32_t> tokenLora, int32_t maxLoras);

  /// The positions of each adapter in blocks of at most blockM, followed by idle blocks up to
  /// maxRowBlocks: what a kernel with this BLOCK_M reads.
  std::vector<RowBlock> rowBlocks(int64_t blockM) const;
};

/// A random slot below `adapters` for each of `tokens` tokens, except for a fraction without an
/// adapter (rounded to a number of tokens), which lie at random positions. The same seed gives the
/// same mapping on every machine. Throws Error if there are tokens but no adapters for them, or the
/// fraction is not in 0 to 1.
std::vector<int32_t> randomMapping(int64_t tokens, int32_t adapters, double fractionWithout,
                                   uint64_t seed);

/// The tokens of randomMapping in ascending order of their slot.
std::vector<int32_t> sortedMapping(int64_t tokens, int32_t adapters, double fractionWithout,
                                   uint64_t seed);

/// The slots in a text file, separated by white space. Throws Error with the file and the line if
/// it holds anything but integers. Whether they are valid slots is left to Mapping::build.
std::vector<int32_t> readMapping(const std::string &path);

} // namespace lora
