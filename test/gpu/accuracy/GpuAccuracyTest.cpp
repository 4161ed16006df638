//===- GpuAccuracyTest.cpp - Tests of what gpu-accuracy runs --------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bitwise.h"
#include "Cases.h"
#include "Kernels.h"
#include "Measure.h"
#include "Report.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>

using namespace lora;
using namespace lora::accuracy;

namespace {

TEST(Cases, GridIsComplete) {
  std::vector<Case> cases = allCases();
  auto inGrid = std::count_if(cases.begin(), cases.end(), [](const Case &c) { return c.inGrid; });
  EXPECT_EQ(inGrid, 6 * 5 * 7 * 3 * 2 * 2 * 2);
  std::set<std::string> names;
  for (const Case &item : cases) {
    EXPECT_TRUE(names.insert(item.name()).second) << item.name();
    EXPECT_NO_THROW(item.shape.completed(item.op)) << item.name();
  }
}

TEST(Cases, SliceWidths) {
  EXPECT_EQ(sliceWidths(2049, 3), (std::vector<int32_t>{2049, 512, 512}));
  EXPECT_EQ(sliceWidths(2, 3), (std::vector<int32_t>{2, 1, 1}));
  EXPECT_EQ(sliceWidths(64, 1), (std::vector<int32_t>{64}));
}

TEST(Cases, PoolHoldsTheLargestMatrices) {
  Case shrink = plainCase(LoraOp::Shrink, DType::F16, 10, 64, 8, 1, 3);
  Case expand = plainCase(LoraOp::Expand, DType::F16, 10, 64, 8, 1, 3);
  EXPECT_EQ(poolSize({shrink}).activations, 10 * 64);
  EXPECT_EQ(poolSize({shrink, expand}).activations, 10 * 96);
  EXPECT_EQ(poolSize({shrink}).weights, 8 * 64);
}

TEST(Kernels, NamesTellKernelsApart) {
  KernelKey key{LoraOp::Shrink, DType::F16, DType::BF16, {{"BLOCK_M", 16}, {"ALIGN", 8}}};
  EXPECT_EQ(key.name(), "shrink-f16-bf16-ALIGN_8-BLOCK_M_16");
  EXPECT_EQ(key.line(), key.name() + " --op=shrink --dtype=f16,bf16 --set=ALIGN=8,BLOCK_M=16");
  std::set<KernelKey> keys;
  std::set<std::string> names;
  for (const BitwiseCheck &check : bitwiseChecks(false))
    for (const KernelKey &kernel : check.kernels()) {
      keys.insert(kernel);
      names.insert(kernel.name());
    }
  EXPECT_EQ(keys.size(), names.size());
}

TEST(Bitwise, ConfigsDiffer) {
  for (const BitwiseCheck &check : bitwiseChecks(false)) {
    std::set<Config> configs(check.configs.begin(), check.configs.end());
    EXPECT_GE(configs.size(), 5u) << check.base.name();
    EXPECT_EQ(check.configs.front(),
              defaultConfig(check.base.op, check.base.shape.completed(check.base.op)));
  }
}

TEST(Measure, AllTokensOfASmallProblem) {
  Case item = plainCase(LoraOp::Shrink, DType::F16, 100, 64, 8, 4, 1);
  LoraProblem problem = item.problem(1, nullptr);
  std::vector<int64_t> tokens = measuredTokens(problem, 1), expected;
  std::sort(tokens.begin(), tokens.end());
  for (int64_t i = 0; i < 100; ++i)
    if (problem.mapping().tokenLora[size_t(i)] >= 0)
      expected.push_back(i);
  EXPECT_EQ(tokens, expected);
}

TEST(Measure, SomeTokensOfEveryAdapterOfALargeOne) {
  Case item = plainCase(LoraOp::Shrink, DType::F16, 4000, 2048, 256, 4, 1);
  LoraProblem problem = item.problem(1, nullptr);
  std::vector<int64_t> tokens = measuredTokens(problem, 1);
  EXPECT_GE(tokens.size(), size_t(kLeastRows));
  EXPECT_LT(tokens.size(), 4000u);
  EXPECT_EQ(std::set<int64_t>(tokens.begin(), tokens.end()).size(), tokens.size());
  std::set<int32_t> adapters;
  for (int64_t token : tokens)
    adapters.insert(problem.mapping().tokenLora[size_t(token)]);
  EXPECT_EQ(adapters, (std::set<int32_t>{0, 1, 2, 3}));
}

TEST(Measure, ToleranceOfMixedTypes) {
  LoraShape shape;
  EXPECT_EQ(tolerance(shape), 2e-3);
  shape.wType = DType::BF16;
  EXPECT_EQ(tolerance(shape), 1e-2);
}

TEST(Report, CountsAndShowsFailures) {
  Report report;
  report.device = "Device";
  report.cases.push_back(
      {plainCase(LoraOp::Shrink, DType::F16, 16, 64, 8, 1, 1), {1.2e-4, false, ""}});
  report.cases.push_back(
      {plainCase(LoraOp::Shrink, DType::F16, 17, 64, 8, 1, 1), {0, false, "no kernel"}});
  report.bitwise.push_back({"check", 3, 2, ""});
  EXPECT_EQ(report.passed(), 2u);
  EXPECT_EQ(report.failed(), 1u);
  std::ostringstream text;
  report.print(text);
  EXPECT_NE(text.str().find("| 16 | 1.2e-04 |"), std::string::npos) << text.str();
  EXPECT_NE(text.str().find("| 17 | 1 failed |"), std::string::npos) << text.str();
  EXPECT_NE(text.str().find("| check | 3 | 2 | identical |"), std::string::npos) << text.str();
  EXPECT_NE(text.str().find("slices=1: no kernel\n"), std::string::npos) << text.str();
}

} // namespace
