//===- ShrinkExpandConfigTest.cpp - Tests of the single launch's defaults -===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Dispatch/ShrinkExpandConfig.h"

#include "lora/Support/Files.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>

using namespace lora;

namespace {

LoraShape shapeOf(int64_t tokens, int64_t hidden, int32_t rank, int64_t adapters = 1) {
  LoraShape shape;
  shape.tokens = tokens;
  shape.hidden = hidden;
  shape.maxLoras = adapters;
  shape.maxRank = rank;
  shape.ranks.assign(adapters, rank);
  shape.sliceWidths = {static_cast<int32_t>(hidden)};
  return shape.completed(LoraOp::Shrink).completed(LoraOp::Expand);
}

bool contains(const nlohmann::json &entry, const char *name, int64_t value) {
  if (!entry.contains(name))
    return true;
  const nlohmann::json &range = entry[name];
  return value >= range[0].get<int64_t>() && (range.size() < 2 || value <= range[1].get<int64_t>());
}

bool holds(const nlohmann::json &rule, const LoraShape &shape) {
  return contains(rule, "tokens", shape.tokens) && contains(rule, "hidden", shape.hidden) &&
         contains(rule, "rank", shape.maxRank) && contains(rule, "slices", shape.slices()) &&
         contains(rule, "adapters", std::min<int64_t>(shape.maxLoras, shape.tokens));
}

/// The configuration of the default pack for a shape, without what follows from the alignment.
std::optional<Config> packConfig(const nlohmann::json &list, const LoraShape &shape) {
  for (const nlohmann::json &entry : list["kernels"]) {
    if (entry.value("op", "") != "shrink_expand")
      continue;
    nlohmann::json rules = entry.value("rules", nlohmann::json::array({entry}));
    if (std::none_of(rules.begin(), rules.end(),
                     [&](const nlohmann::json &rule) { return holds(rule, shape); }))
      continue;
    Config config = entry["set"].get<Config>();
    config.try_emplace("STAGES", 1);
    config.try_emplace("RING", 1);
    return config;
  }
  return std::nullopt;
}

/// The pack has rules for ranges of sizes, and so shares the sum among about as many programs only.
TEST(ShrinkExpandConfig, AgreesWithTheDefaultPackUpToTheSplit) {
  auto list = nlohmann::json::parse(readFile(DEFAULT_PACK_LIST));
  for (int64_t tokens : {1, 16, 17, 256, 257, 512, 1024, 2048, 2049, 6144, 6145, 8192, 16384})
    for (int64_t hidden : {256, 1024, 2048, 3072, 4096, 8192, 16384})
      for (auto [rank, adapters] : {std::pair(8, 1), {16, 1}, {16, 64}, {32, 1}, {128, 4}}) {
        SCOPED_TRACE(std::to_string(tokens) + " tokens, hidden " + std::to_string(hidden) +
                     ", rank " + std::to_string(rank) + ", " + std::to_string(adapters) +
                     " adapters");
        LoraShape shape = shapeOf(tokens, hidden, rank, adapters);
        std::optional<Config> ours = shrinkExpandConfig(shape), theirs = packConfig(list, shape);
        ASSERT_EQ(ours.has_value(), theirs.has_value());
        if (!ours)
          continue;
        for (const char *name :
             {"BLOCK_M", "BLOCK_K", "MAX_RANK", "WARPS", "WARPS_K", "STAGES", "RING"})
          EXPECT_EQ(ours->at(name), theirs->at(name)) << name;
      }
}

TEST(ShrinkExpandConfig, FewTokensHaveALeafOfTheTreeForEachWarp) {
  for (auto [hidden, split] : {std::pair(256, 4), {2048, 4}, {4096, 8}, {8192, 16}, {16384, 16}}) {
    Config config = shrinkExpandConfig(shapeOf(1, hidden, 16)).value();
    EXPECT_EQ(config["SPLIT_K"], split) << hidden;
    EXPECT_EQ(config["WARPS_K"], 4) << hidden;
  }
}

TEST(ShrinkExpandConfig, ProgramsThatAreLeftOverShareTheColumns) {
  EXPECT_EQ(shrinkExpandConfig(shapeOf(16, 16384, 16)).value()["SPLIT_N"], 2);
  // Each adapter has a row block of its own.
  EXPECT_EQ(shrinkExpandConfig(shapeOf(16, 16384, 16, 4)).value()["SPLIT_N"], 2);
  EXPECT_EQ(shrinkExpandConfig(shapeOf(16, 16384, 16, 16)).value()["SPLIT_N"], 1);
  // No program is without columns.
  EXPECT_EQ(shrinkExpandConfig(shapeOf(16, 8192, 16)).value()["SPLIT_N"], 1);
}

TEST(ShrinkExpandConfig, ManyAdaptersOrSlicesLeaveNoRoomForASplit) {
  EXPECT_EQ(shrinkExpandConfig(shapeOf(64, 8192, 16, 4)).value()["SPLIT_K"], 16);
  EXPECT_EQ(shrinkExpandConfig(shapeOf(64, 8192, 16, 64)).value()["SPLIT_K"], 2);
  LoraShape shape = shapeOf(64, 8192, 16, 64);
  shape.sliceWidths = {1024, 128, 128};
  EXPECT_EQ(shrinkExpandConfig(shape).value()["SPLIT_K"], 2);
}

TEST(ShrinkExpandConfig, LargerRanksHaveTwoLaunches) {
  EXPECT_FALSE(shrinkExpandConfig(shapeOf(16, 4096, 32)));
}

TEST(ShrinkExpandConfig, MoreTokensHaveAsManyProgramsAsAreResident) {
  EXPECT_EQ(shrinkExpandConfig(shapeOf(257, 8192, 16)).value()["SPLIT_K"], 8);
  EXPECT_EQ(shrinkExpandConfig(shapeOf(1024, 4096, 16)).value()["SPLIT_K"], 2);
  EXPECT_EQ(shrinkExpandConfig(shapeOf(1024, 4096, 16, 64)).value()["SPLIT_K"], 2);
}

TEST(ShrinkExpandConfig, LongRowsOfSomeThousandTokensHaveTwoLaunches) {
  EXPECT_TRUE(shrinkExpandConfig(shapeOf(512, 8192, 16)));
  EXPECT_FALSE(shrinkExpandConfig(shapeOf(512, 16384, 16)));
  EXPECT_FALSE(shrinkExpandConfig(shapeOf(4096, 8192, 16)));
  EXPECT_TRUE(shrinkExpandConfig(shapeOf(8192, 16384, 16)));
}

TEST(ShrinkExpandConfig, LargeBatchesHaveBlocksAsHighAsAdaptersFill) {
  EXPECT_EQ(shrinkExpandConfig(shapeOf(4096, 4096, 16)).value()["BLOCK_M"], 32);
  EXPECT_EQ(shrinkExpandConfig(shapeOf(8192, 4096, 16)).value()["BLOCK_M"], 64);
  EXPECT_EQ(shrinkExpandConfig(shapeOf(8192, 4096, 16, 128)).value()["BLOCK_M"], 32);
}

TEST(ShrinkExpandConfig, AlignmentFollowsTheSizes) {
  LoraShape shape = shapeOf(16, 4098, 12);
  Config config = shrinkExpandConfig(shape).value();
  EXPECT_EQ(config["ALIGN"], 2);
  EXPECT_EQ(config["RANK_ALIGN"], 4);
  EXPECT_EQ(config["Y_ALIGN"], 2);
  shape.addInputs = false;
  EXPECT_FALSE(shrinkExpandConfig(shape));
}

} // namespace
