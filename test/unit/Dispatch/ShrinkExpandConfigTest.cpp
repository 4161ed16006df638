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

using namespace lora;

namespace {

LoraShape shapeOf(int64_t tokens, int64_t hidden, int32_t rank) {
  LoraShape shape;
  shape.tokens = tokens;
  shape.hidden = hidden;
  shape.maxLoras = 1;
  shape.maxRank = rank;
  shape.ranks = {rank};
  shape.sliceWidths = {static_cast<int32_t>(hidden)};
  return shape.completed(LoraOp::Shrink).completed(LoraOp::Expand);
}

bool contains(const nlohmann::json &entry, const char *name, int64_t value) {
  if (!entry.contains(name))
    return true;
  const nlohmann::json &range = entry[name];
  return value >= range[0].get<int64_t>() && (range.size() < 2 || value <= range[1].get<int64_t>());
}

/// The configuration of the default pack for a shape, without what follows from the alignment.
std::optional<Config> packConfig(const nlohmann::json &list, const LoraShape &shape) {
  for (const nlohmann::json &entry : list["kernels"])
    if (entry.value("op", "") == "shrink_expand" && contains(entry, "tokens", shape.tokens) &&
        contains(entry, "hidden", shape.hidden) && contains(entry, "rank", shape.maxRank))
      return entry["set"].get<Config>();
  return std::nullopt;
}

TEST(ShrinkExpandConfig, AgreesWithTheDefaultPack) {
  auto list = nlohmann::json::parse(readFile(DEFAULT_PACK_LIST));
  for (int64_t tokens : {1, 16, 17, 256, 257, 1024, 1025})
    for (int64_t hidden : {256, 1024, 2048, 4096, 8192, 16384})
      for (int32_t rank : {8, 16, 32, 64, 128}) {
        LoraShape shape = shapeOf(tokens, hidden, rank);
        std::optional<Config> ours = shrinkExpandConfig(shape), theirs = packConfig(list, shape);
        ASSERT_EQ(ours.has_value(), theirs.has_value())
            << tokens << " tokens, hidden " << hidden << ", rank " << rank;
        if (!ours)
          continue;
        for (const char *name : {"ALIGN", "RANK_ALIGN", "Y_ALIGN"})
          ours->erase(name);
        EXPECT_EQ(configText(*ours), configText(*theirs));
      }
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
