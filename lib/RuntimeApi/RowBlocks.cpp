//===- RowBlocks.cpp - Runs of tokens of one adapter --------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowBlocks.h"

#include <algorithm>
#include <utility>

using namespace lora;
using namespace lora::api;

RowBlockTables api::rowBlockTables(int32_t maxTokens, int32_t maxLoras) {
  RowBlockTables tables = {};
  for (size_t i = 0; i < kRowBlockSizes.size(); ++i)
    tables[i + 1] =
        tables[i] + static_cast<size_t>(maxRowBlocks(maxTokens, maxLoras, kRowBlockSizes[i]));
  return tables;
}

RowBlockUse api::writeRowBlocks(std::span<int32_t> counts, const RowBlockTables &tables,
                                RowBlock *entries) {
  RowBlockUse use;
  for (size_t slot = 0; slot < counts.size(); ++slot) {
    int32_t begin = use.tokens, inSlot = std::exchange(counts[slot], begin);
    if (inSlot == 0)
      continue;
    ++use.adapters;
    use.tokens += inSlot;
    for (size_t i = 0; i < kRowBlockSizes.size(); ++i) {
      int32_t size = kRowBlockSizes[i];
      RowBlock *next = entries + tables[i] + use.entries[i];
      for (int32_t first = begin; first < use.tokens; first += size, ++use.entries[i])
        *next++ = {static_cast<int32_t>(slot), first, std::min(first + size, use.tokens), 0};
    }
  }
  return use;
}

void api::listTokens(std::span<const int32_t> tokenLora, std::span<int32_t> positions,
                     int32_t *tokenIndices) {
  for (size_t token = 0; token < tokenLora.size(); ++token) {
    // A negative slot becomes a large one.
    auto slot = static_cast<uint32_t>(tokenLora[token]);
    if (slot < positions.size())
      tokenIndices[positions[slot]++] = static_cast<int32_t>(token);
  }
}
