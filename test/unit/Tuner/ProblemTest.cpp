//===- ProblemTest.cpp - Tests of problems and where they come from -------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../ErrorOf.h"
#include "lora/Support/Error.h"
#include "lora/Tuner/Launcher.h"
#include "lora/Tuner/ProblemGrid.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>

using namespace lora;
using namespace lora::tuner;

namespace {

TuneProblem pair() {
  TuneProblem problem;
  problem.kernel = "shrink_expand";
  problem.operation = Operation::ShrinkExpand;
  problem.tokens = 10;
  problem.hidden = 256;
  problem.widths = {96, 32};
  problem.rank = 16;
  problem.adapters = 3;
  return problem;
}

TEST(TuneProblem, KeyIsItsInverse) {
  TuneProblem problem = pair().normalised();
  EXPECT_EQ(problem.key(), "shrink_expand op=shrink_expand x=f16 w=f16 tokens=10 hidden=256 "
                           "widths=96,32 rank=16 adapters=3");
  EXPECT_EQ(TuneProblem::parse(problem.key()), problem);
}

TEST(TuneProblem, WhatDoesNotMatterIsNormalised) {
  TuneProblem shrink = pair(), expand = pair();
  shrink.operation = Operation::Shrink;
  shrink.adapters = 64;
  EXPECT_EQ(shrink.normalised().widths, (std::vector<int32_t>{0, 0}));
  EXPECT_EQ(shrink.normalised().adapters, 10);
  expand.operation = Operation::Expand;
  EXPECT_EQ(expand.normalised().hidden, 0);
  EXPECT_EQ(expand.normalised().dispatchHidden(), 96);
}

TEST(TuneProblem, OutOfRangeIsNamed) {
  TuneProblem problem = pair();
  problem.tokens = 0;
  EXPECT_EQ(errorOf([&] { problem.normalised(); }),
            "problem: tokens: expected 1 to 1048576, found 0");
  EXPECT_EQ(errorOf([] { TuneProblem::parse("shrink op=no"); }),
            "problem 'shrink op=no': op: expected shrink, expand or shrink_expand");
}

TEST(TuneProblem, RowBlocksAreThoseOfTheTokens) {
  // 10 tokens of 3 adapters: 4, 3 and 3.
  EXPECT_EQ(rowBlocks(pair(), 16), 3);
  EXPECT_EQ(rowBlocks(pair(), 2), 6);
  std::vector<int32_t> slots = tokenLora(pair());
  EXPECT_EQ(slots, (std::vector<int32_t>{0, 0, 0, 0, 1, 1, 1, 2, 2, 2}));
}

TEST(TuneProblem, BytesAreThoseThatMustMove) {
  // x, A, B, and y read and written.
  EXPECT_EQ(pair().bytes(), 2 * (10 * 256 + 2 * 3 * 16 * 256 + 3 * 16 * 128 + 2 * 10 * 128.0));
}

TEST(ProblemGrid, ShapesAreParsed) {
  EXPECT_EQ(parseShape("64x32+16").widths, (std::vector<int64_t>{32, 16}));
  for (const char *bad : {"64", "x", "64x", "64x0", "64x3+", "64x3y"})
    EXPECT_NE(errorOf([&] { parseShape(bad); }).find("expected HIDDENxWIDTH"), std::string::npos)
        << bad;
}

TEST(ProblemGrid, EachProblemOnce) {
  KernelSpace space;
  space.kernel = "shrink";
  for (const char *name : {"x", "a", "s"})
    space.arguments.push_back({name, "ptr"});
  ProblemGrid grid;
  grid.shapes = {"64x32", "64x16"};
  grid.tokens = {1, 8};
  grid.adapters = {1, 4};
  // One token has one adapter, and the widths do not matter.
  EXPECT_EQ(grid.problems({space}).size(), 3u);
  grid.modules = {"nothing"};
  EXPECT_EQ(errorOf([&] { grid.problems({space}); }),
            "--modules nothing: the models have qkv, o, gate_up and down");
}

TEST(Shard, LaunchersAreRead) {
  std::map<std::string, const char *> values;
  auto read = [&](const char *name) -> const char * {
    auto found = values.find(name);
    return found == values.end() ? nullptr : found->second;
  };
  EXPECT_EQ(shardOfLauncher(read).text(), "0/1");
  values = {{"SLURM_PROCID", "0"},
            {"SLURM_NTASKS", "1"},
            {"RANK", "5"},
            {"WORLD_SIZE", "8"},
            {"LOCAL_RANK", "1"}};
  EXPECT_EQ(shardOfLauncher(read).text(), "5/8");
  EXPECT_EQ(shardOfLauncher(read).device, 1);
  values["OMPI_COMM_WORLD_RANK"] = "2";
  values["OMPI_COMM_WORLD_SIZE"] = "3";
  EXPECT_EQ(shardOfLauncher(read).text(), "2/3");
  values["OMPI_COMM_WORLD_RANK"] = "3";
  EXPECT_EQ(errorOf([&] { shardOfLauncher(read); }),
            "OMPI_COMM_WORLD_RANK: expected less than OMPI_COMM_WORLD_SIZE, found 3");
  EXPECT_EQ(parseShard("1/2").index, 1u);
  EXPECT_EQ(errorOf([] { parseShard("2/2"); }), "--shard 2/2: expected I/N with I from 0 to N - 1");
}

} // namespace
