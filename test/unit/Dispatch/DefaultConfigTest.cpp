//===- DefaultConfigTest.cpp - Tests of configurations without tuning -----===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Dispatch/DefaultConfig.h"

#include <gtest/gtest.h>

using namespace lora;

namespace {

LoraShape shapeOf(LoraOp op, int64_t tokens, int64_t hidden, int32_t rank, int64_t adapters) {
  LoraShape shape;
  shape.tokens = tokens;
  shape.hidden = hidden;
  shape.maxLoras = adapters;
  shape.maxRank = rank;
  shape.ranks.assign(adapters, rank);
  shape.sliceWidths = {static_cast<int32_t>(hidden)};
  return shape.completed(op);
}

Config shrink(int64_t tokens, int64_t hidden, int32_t rank, int64_t adapters) {
  return defaultConfig(LoraOp::Shrink, shapeOf(LoraOp::Shrink, tokens, hidden, rank, adapters));
}

Config expand(int64_t tokens, int64_t width, int32_t rank, int64_t adapters) {
  return defaultConfig(LoraOp::Expand, shapeOf(LoraOp::Expand, tokens, width, rank, adapters));
}

TEST(DefaultConfig, EveryAdapterHasARowBlockOfItsOwn) {
  LoraShape shape = shapeOf(LoraOp::Shrink, 64, 4096, 16, 64);
  EXPECT_EQ(rowBlocks(shape, 16), 64);
  shape.ranks.assign(64, 0);
  shape.ranks[3] = 16;
  EXPECT_EQ(rowBlocks(shape, 16), 4);
  shape.tokens = 0;
  EXPECT_EQ(rowBlocks(shape, 16), 1);
}

TEST(DefaultConfig, ShrinkSplitsNoMoreThanTheGpuHasUseFor) {
  EXPECT_EQ(shrink(64, 8192, 16, 1)["SPLIT_K"], 8);
  EXPECT_EQ(shrink(64, 8192, 16, 64)["SPLIT_K"], 2);
  EXPECT_EQ(shrink(256, 8192, 128, 64)["SPLIT_K"], 1);
}

TEST(DefaultConfig, ShrinkBlocksGrowWithTheBatch) {
  // Programs of eight warps for as many multiprocessors, then a ring, then taller blocks.
  for (auto [tokens, m, k, warpsK] : {std::tuple(16, 16, 128, 4),
                                      {1024, 16, 128, 8},
                                      {2048, 16, 64, 8},
                                      {4096, 32, 64, 4},
                                      {16384, 64, 64, 2}}) {
    Config config = shrink(tokens, 4096, 16, 4);
    EXPECT_EQ(config["BLOCK_M"], m) << tokens;
    EXPECT_EQ(config["BLOCK_K"], k) << tokens;
    EXPECT_EQ(config["WARPS_K"], warpsK) << tokens;
  }
}

TEST(DefaultConfig, ShortRowsHaveNoLeavesForEightWarps) {
  EXPECT_EQ(shrink(512, 1024, 16, 4)["WARPS_K"], 8);
  for (int64_t tokens : {16, 512, 2048})
    EXPECT_EQ(shrink(tokens, 512, 16, 4)["WARPS_K"], 4) << tokens;
}

TEST(DefaultConfig, TwoProgramsShareTheSumsOfManyLowBlocks) {
  for (auto [slices, warps, stages] : {std::tuple(1, 8, 1), {2, 8, 3}, {3, 4, 4}}) {
    LoraShape shape = shapeOf(LoraOp::Shrink, 64, 8192, 16, 64);
    shape.sliceWidths.assign(slices, 1024);
    Config config = defaultConfig(LoraOp::Shrink, shape.completed(LoraOp::Shrink));
    EXPECT_EQ(config["BLOCK_M"], 16) << slices;
    EXPECT_EQ(config["SPLIT_K"], 2) << slices;
    EXPECT_EQ(config["WARPS_K"], warps) << slices;
    EXPECT_EQ(config["STAGES"], stages) << slices;
  }
}

TEST(DefaultConfig, HigherRanksFillTheGpuWithLowBlocksInPairs) {
  for (auto [rank, m, split] : {std::tuple(32, 32, 2), {64, 16, 2}, {128, 32, 1}}) {
    Config config = shrink(1024, 4096, rank, 4);
    EXPECT_EQ(config["BLOCK_M"], m) << rank;
    EXPECT_EQ(config["BLOCK_N"], 32) << rank;
    EXPECT_EQ(config["SPLIT_K"], split) << rank;
  }
}

TEST(DefaultConfig, ShrinkTilesFitIntoRegisters) {
  for (int32_t rank : {32, 64, 128}) {
    EXPECT_EQ(shrink(16, 4096, rank, 4)["BLOCK_N"], 16);
    EXPECT_EQ(shrink(4096, 4096, rank, 4)["BLOCK_N"], 32);
  }
}

TEST(DefaultConfig, LongRowsOfFewTokensHaveTwoBlocksUnderWay) {
  for (auto [tokens, hidden, ring] : {std::tuple(16, 16384, 0), {16, 8192, 1}, {1024, 16384, 1}})
    EXPECT_EQ(shrink(tokens, hidden, 16, 4)["RING"], ring) << tokens << " x " << hidden;
}

TEST(DefaultConfig, ExpandWalksInEightProgramsOrMore) {
  EXPECT_EQ(expand(65536, 4096, 16, 4)["PROGRAMS_N"], 8);
  EXPECT_EQ(expand(65536, 256, 16, 4)["PROGRAMS_N"], 2);
}

TEST(DefaultConfig, ExpandTilesFitIntoRegisters) {
  EXPECT_EQ(expand(8192, 4096, 64, 1)["BLOCK_M"], 32);
  for (auto [tokens, m, n] : {std::tuple(16, 16, 64), {8192, 64, 32}}) {
    Config deep = expand(tokens, 4096, 128, 4);
    EXPECT_EQ(deep["BLOCK_M"], m) << tokens;
    EXPECT_EQ(deep["BLOCK_N"], n) << tokens;
    EXPECT_EQ(deep["BLOCK_K"], 128) << tokens;
  }
}

} // namespace
