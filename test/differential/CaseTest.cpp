//===- CaseTest.cpp - Tests of cases and their text ------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Case.h"

#include "Generator.h"
#include "lora/Support/Error.h"

#include <gtest/gtest.h>

using namespace lora;
using namespace lora::differential;

static std::string errorOf(const std::string &text) {
  try {
    parseCase(text);
  } catch (const Error &error) {
    return error.what();
  }
  return "";
}

TEST(CaseText, GivesBackEveryCase) {
  for (uint64_t index = 0; index < 200; ++index) {
    Case test = randomCase(11, index, {"sm_80", "sm_90a"});
    EXPECT_EQ(toText(parseCase(toText(test))), toText(test));
    EXPECT_TRUE(parseCase(toText(test)) == test) << toText(test);
  }
}

TEST(CaseText, RepeatsValues) {
  Case test = parseCase("op=shrink ranks=8x2,0 mapping=-1x3,2,0x2");
  EXPECT_EQ(test.ranks, (std::vector<int32_t>{8, 8, 0}));
  EXPECT_EQ(test.mapping, (std::vector<int32_t>{-1, -1, -1, 2, 0, 0}));
}

TEST(CaseText, SecondLaunchInheritsFromTheFirst) {
  Case test = parseCase("op=expand WARPS=2 order=5 again.order=6 again.WARPS=1");
  ASSERT_TRUE(test.repeat);
  EXPECT_EQ(test.repeat->launch.order, 6u);
  EXPECT_EQ(test.repeat->launch.config.at("WARPS"), 1);
  EXPECT_EQ(test.repeat->launch.config.at("BLOCK_M"), test.launch.config.at("BLOCK_M"));
}

TEST(CaseText, NamesWhatIsWrong) {
  EXPECT_EQ(errorOf("hidden=8"), "case: expected op=shrink, op=expand or op=shrink_expand");
  EXPECT_EQ(errorOf("op=scale"),
            "case: op: expected shrink, expand or shrink_expand, found 'scale'");
  EXPECT_EQ(errorOf("op=shrink hidden=many"), "case: hidden: expected an integer, found 'many'");
  EXPECT_EQ(errorOf("op=shrink hidden"), "case: expected key=value, found 'hidden'");
  EXPECT_EQ(errorOf("op=shrink again.colour=1"),
            "case: unknown key 'again.colour': expected one that a failing case prints");
  EXPECT_EQ(errorOf("op=shrink ranks="), "case: ranks: expected at least one");
  EXPECT_NE(errorOf("op=shrink arch=sm_1"), "");
}

TEST(Case, IsInvalidWhereTheKernelSaysSo) {
  EXPECT_EQ(whyInvalid(parseCase("op=shrink WARPS=2")),
            "the configuration breaks WARPS % WARPS_K == 0");
  EXPECT_EQ(whyInvalid(parseCase("op=shrink hidden=9 x-gap=7 a-gap=7")),
            "the configuration breaks hidden % ALIGN == 0");
  EXPECT_EQ(whyInvalid(parseCase("op=expand ranks=12 max-rank=16")),
            "RANK_ALIGN: expected at most 4, found 8");
  EXPECT_EQ(whyInvalid(parseCase("op=shrink")), "");
}

TEST(Case, TokensOfASecondLaunchMove) {
  Case test = parseCase("op=shrink ranks=16x2 mapping=0,1 again.extra=1,-1,1 again.shuffle=3");
  std::vector<size_t> places = repeatedPlaces(test);
  std::vector<int32_t> mapping = repeatedMapping(test);
  ASSERT_EQ(mapping.size(), 5u);
  EXPECT_EQ(mapping[places[0]], 0);
  EXPECT_EQ(mapping[places[1]], 1);
  EXPECT_EQ(mapping[places[3]], -1);
}
