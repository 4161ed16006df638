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

} // namespace
