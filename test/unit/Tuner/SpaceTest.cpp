//===- SpaceTest.cpp - Tests of configurations and their estimates --------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Tuner/Space.h"
#include "lora/Support/Error.h"
#include "lora/Tuner/CostModel.h"

#include <gtest/gtest.h>

using namespace lora;
using namespace lora::tuner;

namespace {

/// A shrink with a parameter that the tuner has never heard of.
KernelSpace space() {
  KernelSpace space;
  space.kernel = "mine";
  space.sourceHash = "hash";
  space.types = {"X", "W"};
  space.parameters = {{"BLOCK_M", 16, {16, 32}},
                      {"SWIRL", 1, {1, 2, 3}},
                      {"ALIGN", 8, {1, 2, 4, 8}},
                      {"MAX_RANK", 16, {16, 32, 64}}};
  space.constraints = {"SWIRL < 3 || BLOCK_M == 32"};
  space.assumptions = {"hidden % ALIGN == 0", "x % (2 * ALIGN) == 0", "max_rank <= MAX_RANK"};
  for (const char *name : {"x", "a", "s"})
    space.arguments.push_back({name, "ptr"});
  return space;
}

TuneProblem problem(int64_t hidden, int32_t rank) {
  TuneProblem problem;
  problem.kernel = "mine";
  problem.tokens = 64;
  problem.hidden = hidden;
  problem.widths = {0};
  problem.rank = rank;
  return problem.normalised();
}

std::string errorOf(const KernelSpace &space, const TuneProblem &problem) {
  try {
    space.operation();
    boundParameters(space, problem);
  } catch (const Error &error) {
    return error.what();
  }
  return "no error";
}

TEST(Space, AssumptionsDecideParameters) {
  EXPECT_EQ(boundParameters(space(), problem(64, 16)), (Config{{"ALIGN", 8}, {"MAX_RANK", 16}}));
  EXPECT_EQ(boundParameters(space(), problem(62, 17)), (Config{{"ALIGN", 2}, {"MAX_RANK", 32}}));
  EXPECT_EQ(errorOf(space(), problem(64, 65)),
            "kernel 'mine': no value of MAX_RANK fulfils 'max_rank <= MAX_RANK' for mine op=shrink "
            "x=f16 w=f16 tokens=64 hidden=64 slices=1 rank=65 adapters=1");
}

TEST(Space, ConstraintsLeaveOut) {
  std::vector<Config> all = enumerate(space(), {{"ALIGN", 8}, {"MAX_RANK", 16}});
  EXPECT_EQ(all.size(), 5u);
  for (const Config &config : all)
    EXPECT_EQ(brokenConstraint(space(), config), "");
  EXPECT_EQ(brokenConstraint(space(), {{"BLOCK_M", 16}, {"SWIRL", 3}}),
            "SWIRL < 3 || BLOCK_M == 32");
}

TEST(Space, SurvivesJson) {
  KernelSpace copy = KernelSpace::fromJson(space().toJson(), "test");
  EXPECT_EQ(copy.toJson(), space().toJson());
  EXPECT_THROW(KernelSpace::fromJson("{}", "test"), Error);
}

TEST(Space, OperationIsToldByArguments) {
  KernelSpace one = space();
  EXPECT_EQ(one.operation(), Operation::Shrink);
  one.arguments.push_back({"temperature", "f32"});
  EXPECT_EQ(errorOf(one, problem(64, 16)),
            "kernel 'mine': argument 'temperature': the tuner has no value for it");
  one.arguments = {{"x", "ptr"}};
  EXPECT_NE(errorOf(one, problem(64, 16)).find("expected the arguments x, a, s of a shrink"),
            std::string::npos);
}

TEST(CostModel, ReasonsAreKept) {
  std::vector<Tiling> tilings(3);
  for (Tiling &tiling : tilings)
    tiling.n = 16;
  tilings[0].splitK = 16;
  tilings[1].m = 256;
  PrunedSpace pruned = prune(tilings, problem(1024, 16), {});
  EXPECT_EQ(pruned.configs, std::vector<size_t>{2});
  EXPECT_EQ(pruned.reasons.at("SPLIT_K leaves programs without a part of the sum"), 1u);
  EXPECT_EQ(pruned.reasons.at("BLOCK_M is four times the tokens of an adapter, or more"), 1u);
}

TEST(CostModel, MoreWorkTakesLonger) {
  GpuFacts gpu;
  Tiling tiling;
  double small = CostModel(problem(1024, 16), gpu).estimate(tiling);
  double large = CostModel(problem(16384, 16), gpu).estimate(tiling);
  EXPECT_GT(small, gpu.launch);
  EXPECT_GT(large, small);
}

Tiling shrinkTiling(int64_t m, int64_t k, int64_t splitK, int64_t warps, int64_t warpsK,
                    int64_t stages) {
  Tiling tiling;
  tiling.m = m;
  tiling.n = 16;
  tiling.k = k;
  tiling.splitK = splitK;
  tiling.warps = warps;
  tiling.warpsK = warpsK;
  tiling.stages = stages;
  return tiling;
}

TuneProblem shrink(int64_t tokens, int64_t hidden) {
  TuneProblem problem;
  problem.kernel = "shrink";
  problem.tokens = tokens;
  problem.hidden = hidden;
  problem.widths = {0};
  problem.rank = 16;
  problem.adapters = 4;
  return problem.normalised();
}

/// As measured on an H200.
TEST(CostModel, SmallBatchesOfLongRowsWantSplitsAndLargeBatchesNone) {
  CostModel large(shrink(16384, 4096), {});
  double best = large.estimate(shrinkTiling(64, 64, 1, 8, 2, 3));
  EXPECT_LT(best, large.estimate(shrinkTiling(64, 64, 16, 8, 2, 3)));
  CostModel small(shrink(128, 16384), {});
  EXPECT_LT(small.estimate(shrinkTiling(16, 128, 8, 8, 8, 1)),
            small.estimate(shrinkTiling(16, 128, 1, 8, 8, 1)));
}

/// Of stages of 48 KB each, four leave room for one program and two for two.
TEST(CostModel, SharedMemoryBoundsTheProgramsOfAMultiprocessor) {
  CostModel model(shrink(16384, 4096), {});
  EXPECT_GT(model.estimate(shrinkTiling(32, 128, 1, 4, 4, 4)),
            model.estimate(shrinkTiling(32, 128, 1, 4, 4, 2)));
}

} // namespace
