//===- MinimiseTest.cpp - Tests of making cases smaller --------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Minimise.h"

#include <gtest/gtest.h>

using namespace lora::differential;

static const std::chrono::seconds kLimit(30);

TEST(Minimise, KeepsOnlyWhatTheFailureNeeds) {
  auto check = [](const Case &test) -> std::string {
    return test.hidden >= 100 && test.mapping.size() >= 3 ? "wrong" : "";
  };
  Case test =
      parseCase("op=shrink w-type=bf16 ranks=16,8,5 widths=1x3 mapping=0x20,1,2x9 hidden=480 "
                "data=7 arch=sm_80 x-gap=8 BLOCK_M=64 WARPS_K=1 RANK_ALIGN=1 "
                "again.extra=1,2 again.shuffle=4");
  Failure smallest = minimise({test, "wrong"}, check, kLimit);
  EXPECT_EQ(smallest.message, "wrong");
  EXPECT_EQ(smallest.test.mapping.size(), 3u);
  EXPECT_EQ(smallest.test.widths.size(), 1u);
  EXPECT_EQ(smallest.test.ranks.size(), 1u);
  EXPECT_LT(smallest.test.hidden, 200);
  EXPECT_FALSE(smallest.test.repeat);
  EXPECT_EQ(smallest.test.launch.target, "sm_90a");
  EXPECT_EQ(smallest.test.launch.config.at("BLOCK_M"), 16);
}

TEST(Minimise, ChecksOnlyValidCases) {
  auto check = [](const Case &test) -> std::string {
    EXPECT_EQ(whyInvalid(test), "") << toText(test);
    return test.launch.config.at("STAGES") == 2 ? "wrong" : "";
  };
  Case test = parseCase("op=shrink ranks=64 mapping=0x2 hidden=256 BLOCK_K=64 STAGES=2 WARPS_K=2 "
                        "BLOCK_M=32");
  ASSERT_EQ(whyInvalid(test), "");
  Failure smallest = minimise({test, "wrong"}, check, kLimit);
  EXPECT_EQ(smallest.test.launch.config.at("STAGES"), 2);
  EXPECT_LE(smallest.test.hidden, 2);
}
