//===- LaunchPlanTest.cpp - Tests of arguments and launch plans -----------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Runtime/LaunchPlan.h"

#include "lora/Support/Error.h"

#include <gtest/gtest.h>

#include <bit>

using namespace lora;

namespace {

KernelManifest manifest() {
  KernelManifest result;
  result.kernel = "shrink";
  result.symbol = "shrink_0";
  result.target = "sm_90a";
  result.config = {{"BLOCK_M", 16}, {"SPLIT_K", 4}};
  result.arguments = {{"x", "ptr"}, {"tokens", "i32"}, {"x_stride", "i64"}, {"scale", "f32"}};
  result.grid = {"ceildiv(tokens, BLOCK_M) * SPLIT_K", "1", "1"};
  result.assumptions = {"x_stride % 8 == 0", "x % 16 == 0"};
  result.threads = 128;
  return result;
}

Arguments arguments() {
  Arguments result;
  result.setPointer("x", uint64_t(4096));
  result.setI32("tokens", 33);
  result.setI64("x_stride", 64);
  result.setF32("scale", 0.5f);
  return result;
}

std::string planError(const KernelManifest &manifest, const Arguments &arguments) {
  try {
    planLaunch(manifest, arguments);
  } catch (const Error &error) {
    return error.what();
  }
  return "no error";
}

std::string gridError(const std::string &x, const std::string &y) {
  KernelManifest changed = manifest();
  changed.grid = {x, y, "1"};
  return planError(changed, arguments());
}

TEST(Arguments, ValuesKeepTheirTypeAndSign) {
  Arguments values = arguments();
  values.setI32("tokens", -2);
  EXPECT_EQ(values.find("tokens")->integer(), -2);
  EXPECT_EQ(values.find("tokens")->bits, 0xfffffffeu);
  values.setI64("tokens", -2);
  EXPECT_EQ(values.find("tokens")->type, ArgumentType::I64);
  EXPECT_EQ(values.find("tokens")->integer(), -2);
  EXPECT_EQ(values.find("x")->integer(), 4096);
  EXPECT_EQ(values.find("nothing"), nullptr);
}

TEST(LaunchPlan, GridAndValues) {
  LaunchPlan plan = planLaunch(manifest(), arguments());
  EXPECT_EQ(plan.grid, (std::array<unsigned, 3>{12, 1, 1}));
  EXPECT_EQ(plan.values, (std::vector<uint64_t>{4096, 33, 64, std::bit_cast<uint32_t>(0.5f)}));
  EXPECT_EQ(plan.workspaceBytes, 0u);
  EXPECT_FALSE(plan.empty());
}

TEST(LaunchPlan, NoTokensIsAnEmptyLaunch) {
  Arguments none = arguments();
  none.setI32("tokens", 0);
  EXPECT_TRUE(planLaunch(manifest(), none).empty());
}

TEST(LaunchPlan, Workspace) {
  KernelManifest split = manifest();
  split.workspaceBytesPerGroup = 1000;
  split.splitGroupSize = 4;
  LaunchPlan plan = planLaunch(split, arguments());
  EXPECT_EQ(plan.workspaceBytes, 3000u);
  EXPECT_EQ(plan.counterBytes, 12u);
  split.splitGroupSize = 5;
  EXPECT_EQ(planError(split, arguments()),
            "kernel 'shrink': grid of 12 blocks: expected a multiple of the split group size 5");
  split.splitGroupSize = 1;
  split.workspaceBytesPerGroup = INT64_MAX;
  EXPECT_NE(planError(split, arguments()).find("below 2^63 bytes"), std::string::npos);
}

TEST(LaunchPlan, ArgumentsMustBeThere) {
  EXPECT_EQ(planError(manifest(), Arguments()), "kernel 'shrink': argument 'x' is missing");
  Arguments wrong = arguments();
  wrong.setI64("tokens", 33);
  EXPECT_EQ(planError(manifest(), wrong),
            "kernel 'shrink': argument 'tokens': expected i32, found i64");
  Arguments more = arguments();
  more.setI32("other", 1);
  EXPECT_EQ(planError(manifest(), more), "no error");
}

TEST(LaunchPlan, AssumptionsMustHold) {
  Arguments odd = arguments();
  odd.setI64("x_stride", 65);
  EXPECT_EQ(planError(manifest(), odd),
            "kernel 'shrink': assumption 'x_stride % 8 == 0' does not hold with x_stride = 65");
  odd = arguments();
  odd.setPointer("x", uint64_t(4098));
  EXPECT_EQ(planError(manifest(), odd),
            "kernel 'shrink': assumption 'x % 16 == 0' does not hold with x = 4098");
}

TEST(LaunchPlan, GridLimits) {
  EXPECT_EQ(gridError("2147483647", "65535"), "no error");
  EXPECT_EQ(gridError("1", "65536"),
            "kernel 'shrink': grid y = '65536' is 65536: expected 0 to 65535");
  EXPECT_EQ(gridError("tokens - 34", "1"),
            "kernel 'shrink': grid x = 'tokens - 34' is -1: expected 0 to 2147483647");
  EXPECT_EQ(gridError("tokens / (tokens - 33)", "1"),
            "kernel 'shrink': grid: expression 'tokens / (tokens - 33)': division by zero in "
            "'tokens / (tokens - 33)' with tokens = 33");
}

TEST(LaunchPlan, GridIsAWholeNumberOfClusters) {
  KernelManifest clustered = manifest();
  clustered.cluster = {8, 1, 1};
  EXPECT_EQ(planError(clustered, arguments()),
            "kernel 'shrink': grid x = 'ceildiv(tokens, BLOCK_M) * SPLIT_K' is 12: expected a "
            "multiple of the cluster size 8");
}

TEST(LaunchPlan, ManifestMustBeValid) {
  KernelManifest invalid = manifest();
  invalid.threads = 0;
  EXPECT_EQ(planError(invalid, arguments()),
            "kernel 'shrink': field 'threads': expected 1 to 1024, found 0");
}

} // namespace
