//===- AdapterFactsTest.cpp - Tests of what adapters change ---------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Bench/AdapterFacts.h"

#include <gtest/gtest.h>

using namespace lora;

TEST(AdapterFacts, RankAndProjections) {
  AdapterFacts facts = readAdapterFacts(ADAPTERS "/rank24-f16-mlp");
  EXPECT_EQ(facts.rank, 24);
  EXPECT_FALSE(facts.projections.empty());
}
