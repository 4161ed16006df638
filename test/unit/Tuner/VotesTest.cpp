//===- VotesTest.cpp - Tests of the choice of what to compile -------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Votes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

using namespace lora::tuner;

namespace {

/// A problem that favours the given configurations, the first the most.
PrunedSpace favouring(const std::vector<size_t> &configs) {
  PrunedSpace ranked;
  for (size_t config : configs) {
    ranked.estimates.push_back(10 + 0.01 * double(ranked.configs.size()));
    ranked.configs.push_back(config);
  }
  return ranked;
}

bool has(const std::vector<size_t> &chosen, size_t config) {
  return std::count(chosen.begin(), chosen.end(), config) == 1;
}

TEST(Votes, ARareProblemIsServedToo) {
  Votes votes(20);
  for (int i = 0; i < 4; ++i)
    votes.add(favouring({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}), false);
  votes.add(favouring({17}), false);
  std::vector<size_t> chosen = votes.choose(8, 1);
  EXPECT_EQ(chosen.size(), 8u);
  EXPECT_EQ(std::set<size_t>(chosen.begin(), chosen.end()).size(), 8u);
  EXPECT_TRUE(has(chosen, 0));
  EXPECT_TRUE(has(chosen, 17));
}

TEST(Votes, WhatNoProblemFavoursIsLeftOut) {
  Votes votes(10);
  PrunedSpace ranked = favouring({4, 2, 6, 8, 3});
  ranked.estimates.back() = 100;
  votes.add(ranked, false);
  EXPECT_EQ(votes.choose(0, 1), (std::vector<size_t>{2, 4, 6, 8}));
  Votes all(10);
  all.add(ranked, true);
  EXPECT_EQ(all.choose(0, 1), (std::vector<size_t>{2, 3, 4, 6, 8}));
}

TEST(Votes, TheSeedDecidesWhatIsDrawn) {
  Votes votes(200);
  std::vector<size_t> configs(200);
  for (size_t i = 0; i < configs.size(); ++i)
    configs[i] = i;
  votes.add(favouring(configs), false);
  EXPECT_EQ(votes.choose(40, 1), votes.choose(40, 1));
  EXPECT_NE(votes.choose(40, 1), votes.choose(40, 2));
}

} // namespace
