//===- RowBlocks.h - Runs of tokens of one adapter ----------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tables that kernels read a mapping from. Tokens with an adapter are listed in token_indices,
// those of an adapter together; a row block is a run of at most BLOCK_M positions in that list.
// Each block size has a table of its own, and the four tables follow each other in memory. The
// kernel map_tokens of kernels/map_tokens.ptx builds the same on a device.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "lora/Support/RowBlocks.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace lora::api {

/// Where each table begins, in entries from the first table, and how many entries all have: each
/// table has room for any mapping of `maxTokens` tokens to `maxLoras` slots.
using RowBlockTables = std::array<size_t, kRowBlockSizes.size() + 1>;
RowBlockTables rowBlockTables(int32_t maxTokens, int32_t maxLoras);

/// How many adapters a mapping uses, and how many entries of each table.
struct RowBlockUse {
  int32_t adapters = 0;
  /// The tokens with an adapter.
  int32_t tokens = 0;
  std::array<int32_t, kRowBlockSizes.size()> entries = {};
};

/// Writes the entries that are used, at the beginning of each table, from the number of tokens of
/// each slot. counts[slot] becomes the first position of the slot in token_indices.
RowBlockUse writeRowBlocks(std::span<int32_t> counts, const RowBlockTables &tables,
                           RowBlock *entries);

/// Lists the tokens with an adapter: each at the next position of its slot, which writeRowBlocks
/// left in `positions`. Tokens with a slot that does not exist are skipped.
void listTokens(std::span<const int32_t> tokenLora, std::span<int32_t> positions,
                int32_t *tokenIndices);

} // namespace lora::api
