//===- MappingTest.cpp - Tests of the mapping of tokens to adapters -------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Problem/Mapping.h"
#include "../ErrorOf.h"

#include "lora/Support/Error.h"
#include "lora/Support/RowBlocks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <functional>

using namespace lora;

namespace {

using Ints = std::vector<int32_t>;
using Blocks = std::vector<RowBlock>;

TEST(Mapping, TokensWithAndWithoutAnAdapter) {
  Mapping mapping = Mapping::build(Ints{2, -1, 0, 2, -1, 2}, 4);
  EXPECT_EQ(mapping.tokenLora, (Ints{2, -1, 0, 2, -1, 2}));
  EXPECT_EQ(mapping.tokenIndices, (Ints{2, 0, 3, 5}));
  EXPECT_EQ(mapping.adapters, (Blocks{{0, 0, 1}, {2, 1, 4}}));
}

TEST(Mapping, NoTokens) {
  Mapping mapping = Mapping::build({}, 2);
  EXPECT_TRUE(mapping.tokenIndices.empty());
  EXPECT_TRUE(mapping.adapters.empty());
  EXPECT_TRUE(mapping.rowBlocks(16).empty());
}

TEST(Mapping, MatchesAStableSort) {
  Ints slots = randomMapping(1000, 7, 0.2, 3);
  Mapping mapping = Mapping::build(slots, 9);
  Ints expected;
  for (int32_t i = 0; i < 1000; ++i)
    if (slots[size_t(i)] >= 0)
      expected.push_back(i);
  std::stable_sort(expected.begin(), expected.end(),
                   [&](int32_t a, int32_t b) { return slots[size_t(a)] < slots[size_t(b)]; });
  EXPECT_EQ(mapping.tokenIndices, expected);
}

TEST(Mapping, RowBlocksEndWithTheirAdapter) {
  // 17 tokens of slot 0 and 3 of slot 2.
  Ints slots(20, 0);
  slots[0] = slots[7] = slots[19] = 2;
  Mapping mapping = Mapping::build(slots, 3);
  EXPECT_EQ(mapping.rowBlocks(16), (Blocks{{0, 0, 16}, {0, 16, 17}, {2, 17, 20}}));
  EXPECT_EQ(mapping.rowBlocks(32), (Blocks{{0, 0, 17}, {2, 17, 20}}));
}

TEST(Mapping, IdleBlocksFollow) {
  // Two adapters could fill three blocks of 16 with 32 tokens, but here they fill two.
  Ints slots(32, 0);
  std::fill(slots.begin() + 16, slots.end(), 1);
  EXPECT_EQ(Mapping::build(slots, 2).rowBlocks(16), (Blocks{{0, 0, 16}, {1, 16, 32}, RowBlock()}));
}

TEST(Mapping, NoMappingHasMoreThanTheMostRowBlocks) {
  for (int64_t tokens = 0; tokens <= 40; ++tokens)
    for (int32_t adapters = 1; adapters <= 5; ++adapters) {
      int64_t most = 0;
      for (uint64_t seed = 0; seed < 20; ++seed)
        for (const RowBlock &block :
             Mapping::build(randomMapping(tokens, adapters, 0, seed), adapters).rowBlocks(16))
          most = std::max<int64_t>(most, block.slot >= 0 ? block.end : 0);
      EXPECT_EQ(most, tokens);
    }
  // One token more than whole blocks for each adapter.
  EXPECT_EQ(maxRowBlocks(4 * 17, 4, 16), 8);
  EXPECT_EQ(maxRowBlocks(4 * 17 - 1, 4, 16), 7);
  EXPECT_EQ(maxRowBlocks(3, 256, 16), 3);
}

TEST(Mapping, SlotsAreChecked) {
  EXPECT_EQ(errorOf([] {
              Mapping::build(Ints{0, 4}, 4);
            }),
            "mapping of token 1: expected a slot in -1 to 3, found 4");
  EXPECT_EQ(errorOf([] { Mapping::build(Ints{-2}, 4); }),
            "mapping of token 0: expected a slot in -1 to 3, found -2");
  EXPECT_EQ(errorOf([] { Mapping::build({}, 0); }),
            "mapping for 0 adapter slots: expected at least 1");
}

TEST(RandomMapping, IsReproducible) {
  EXPECT_EQ(randomMapping(100, 4, 0.25, 1), randomMapping(100, 4, 0.25, 1));
  EXPECT_NE(randomMapping(100, 4, 0.25, 1), randomMapping(100, 4, 0.25, 2));
  // The same on every machine.
  EXPECT_EQ(randomMapping(8, 3, 0.25, 1), (Ints{-1, 2, 1, 1, 2, 2, 1, -1}));
}

TEST(RandomMapping, FractionAndRange) {
  Ints slots = randomMapping(1000, 4, 0.25, 1);
  EXPECT_EQ(std::count(slots.begin(), slots.end(), -1), 250);
  for (int32_t slot = 0; slot < 4; ++slot)
    EXPECT_GT(std::count(slots.begin(), slots.end(), slot), 100);
  EXPECT_LT(*std::max_element(slots.begin(), slots.end()), 4);
  EXPECT_FALSE(std::is_sorted(slots.begin(), slots.end()));
  EXPECT_EQ(randomMapping(3, 0, 1, 1), (Ints{-1, -1, -1}));
}

TEST(RandomMapping, BadParameters) {
  EXPECT_EQ(errorOf([] { randomMapping(3, 0, 0, 1); }),
            "mapping over 0 adapters: expected at least 1");
  EXPECT_EQ(errorOf([] { randomMapping(3, 1, 1.5, 1); }),
            "fraction of tokens without an adapter: expected 0 to 1, found 1.500000");
  EXPECT_NE(errorOf([] { randomMapping(-1, 1, 0, 1); }), "no error");
}

TEST(SortedMapping, HasTheSameTokens) {
  Ints sorted = sortedMapping(100, 4, 0.1, 5), shuffled = randomMapping(100, 4, 0.1, 5);
  EXPECT_TRUE(std::is_sorted(sorted.begin(), sorted.end()));
  EXPECT_TRUE(std::is_permutation(sorted.begin(), sorted.end(), shuffled.begin()));
}

class MappingFile : public testing::Test {
protected:
  Ints read(const std::string &text) {
    std::ofstream(path) << text;
    return readMapping(path);
  }
  void TearDown() override { std::remove(path.c_str()); }

  std::string path = testing::TempDir() + "lora_mapping_test.txt";
};

TEST_F(MappingFile, WhiteSpaceSeparates) {
  EXPECT_EQ(read("0 1\t-1\r\n\n  2\n3"), (Ints{0, 1, -1, 2, 3}));
  EXPECT_EQ(read(""), Ints{});
}

TEST_F(MappingFile, BadWordsAreLocated) {
  EXPECT_EQ(errorOf([&] { read("0 1\n2 x3 4\n"); }),
            path + ":2: expected an adapter slot or -1, found 'x3'");
  EXPECT_EQ(errorOf([&] { read("1,2"); }),
            path + ":1: expected an adapter slot or -1, found '1,2'");
  EXPECT_EQ(errorOf([&] { read("99999999999"); }),
            path + ":1: expected an adapter slot or -1, found '99999999999'");
}

TEST_F(MappingFile, MissingFile) {
  EXPECT_EQ(errorOf([&] { readMapping(path); }), path + ": cannot open: No such file or directory");
}

} // namespace
