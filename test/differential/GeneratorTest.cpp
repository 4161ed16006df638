//===- GeneratorTest.cpp - Tests of the random cases -----------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Generator.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace lora;
using namespace lora::differential;

TEST(Generator, DependsOnSeedAndIndexAlone) {
  EXPECT_TRUE(randomCase(1, 7, {"sm_80"}) == randomCase(1, 7, {"sm_80"}));
  EXPECT_FALSE(randomCase(1, 7, {"sm_80"}) == randomCase(1, 8, {"sm_80"}));
  EXPECT_FALSE(randomCase(1, 7, {"sm_80"}) == randomCase(2, 7, {"sm_80"}));
}

TEST(Generator, CoversWhatMatters) {
  std::vector<Case> cases;
  for (uint64_t index = 0; index < 300; ++index) {
    cases.push_back(randomCase(5, index, {"sm_80", "sm_90a"}));
    ASSERT_EQ(whyInvalid(cases.back()), "") << toText(cases.back());
  }
  auto percent = [&](auto property) {
    return 100 * std::ranges::count_if(cases, property) / static_cast<long>(cases.size());
  };
  for (Kernel kernel : {Kernel::Shrink, Kernel::Expand, Kernel::ShrinkExpand})
    EXPECT_GE(percent([&](const Case &test) { return test.kernel == kernel; }), 20);
  EXPECT_GE(percent([](const Case &test) { return test.repeat.has_value(); }), 30);
  EXPECT_GE(percent([](const Case &test) { return test.xType != test.wType; }), 5);
  EXPECT_GE(percent([](const Case &test) { return test.launch.target == "sm_80"; }), 30);
  EXPECT_GE(percent([](const Case &test) { return !std::ranges::is_sorted(test.mapping); }), 20);
  EXPECT_GE(percent([](const Case &test) {
              return test.kernel != Kernel::Expand && test.launch.config.at("STAGES") > 1;
            }),
            5);
  EXPECT_GE(percent([](const Case &test) {
              return test.kernel != Kernel::Expand && test.launch.config.at("RING") == 0;
            }),
            2);
  EXPECT_GE(percent([](const Case &test) {
              return test.kernel != Kernel::Expand && test.launch.config.at("SPLIT_K") > 1;
            }),
            10);
  EXPECT_GE(percent([](const Case &test) {
              return std::ranges::count(test.ranks, 0) > 0 && test.ranks.size() > 1;
            }),
            10);
}
