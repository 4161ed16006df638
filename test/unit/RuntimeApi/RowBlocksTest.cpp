//===- RowBlocksTest.cpp - Tests of the tables of row blocks ------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowBlocks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

using namespace lora;
using namespace lora::api;

namespace {

TEST(RowBlocks, NoMappingNeedsMoreThanTheMost) {
  EXPECT_EQ(maxRowBlocks(0, 4, 16), 0);
  EXPECT_EQ(maxRowBlocks(1, 4, 16), 1);
  EXPECT_EQ(maxRowBlocks(16, 1, 16), 1);
  EXPECT_EQ(maxRowBlocks(17, 2, 16), 2);
  EXPECT_EQ(maxRowBlocks(18, 2, 16), 3);
  // All mappings of up to 12 tokens to 3 adapters, by their counts.
  for (int blockSize : {2, 3, 4})
    for (int tokens = 0; tokens <= 12; ++tokens) {
      int most = 0;
      for (int first = 0; first <= tokens; ++first)
        for (int second = 0; first + second <= tokens; ++second) {
          int blocks = 0;
          for (int count : {first, second, tokens - first - second})
            blocks += (count + blockSize - 1) / blockSize;
          most = std::max(most, blocks);
        }
      EXPECT_EQ(maxRowBlocks(tokens, 3, blockSize), most) << tokens << " by " << blockSize;
    }
}

TEST(RowBlocks, EveryTokenIsInOneBlockOfItsAdapter) {
  constexpr int32_t maxTokens = 700, maxLoras = 9;
  RowBlockTables tables = rowBlockTables(maxTokens, maxLoras);
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    std::vector<int32_t> slots(random() % (maxTokens + 1));
    unsigned used = 1 + random() % maxLoras;
    for (int32_t &slot : slots)
      slot = static_cast<int32_t>(random() % (used + 1)) - 1;
    std::vector<int32_t> counts(maxLoras, 0);
    for (int32_t slot : slots)
      if (slot >= 0)
        ++counts[static_cast<size_t>(slot)];
    const std::vector<int32_t> before = counts;

    std::vector<RowBlock> entries(tables.back());
    std::vector<int32_t> indices(slots.size(), -1);
    RowBlockUse use = writeRowBlocks(counts, tables, entries.data());
    listTokens(slots, counts, indices.data());
    EXPECT_EQ(use.adapters, maxLoras - std::count(before.begin(), before.end(), 0));
    for (size_t i = 0; i < kRowBlockSizes.size(); ++i) {
      std::vector<bool> seen(slots.size(), false);
      int32_t position = 0;
      size_t capacity = tables[i + 1] - tables[i];
      ASSERT_LE(static_cast<size_t>(use.entries[i]), capacity);
      for (size_t k = 0; k < capacity; ++k) {
        const RowBlock &entry = entries[tables[i] + k];
        EXPECT_EQ(entry.slot >= 0, k < static_cast<size_t>(use.entries[i]));
        if (entry.slot < 0)
          continue;
        EXPECT_EQ(entry.begin, position);
        EXPECT_GT(entry.end, entry.begin);
        EXPECT_LE(entry.end, entry.begin + kRowBlockSizes[i]);
        for (; position < entry.end; ++position) {
          auto token = static_cast<size_t>(indices[static_cast<size_t>(position)]);
          EXPECT_EQ(slots.at(token), entry.slot);
          EXPECT_FALSE(seen[token]);
          seen[token] = true;
        }
      }
      EXPECT_EQ(position, use.tokens);
    }
  }
}

} // namespace
