//===- TimingTest.cpp - Tests of what times are summed up to --------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Measure/Timing.h"

#include "lora/Support/Error.h"

#include <gtest/gtest.h>

using namespace lora;

namespace {

TEST(Timing, QuartilesOfManySamples) {
  Timing timing = Timing::of(std::vector<double>{7, 1, 5, 3, 6, 2, 4});
  EXPECT_EQ(timing.median, 4);
  EXPECT_EQ(timing.low, 2);
  EXPECT_EQ(timing.high, 6);
  EXPECT_EQ(timing.spread(), 0.5);
}

TEST(Timing, QuartilesLieBetweenSamples) {
  Timing timing = Timing::of(std::vector<double>{1, 2, 3, 10});
  EXPECT_EQ(timing.median, 2.5);
  EXPECT_EQ(timing.low, 1.25);
  EXPECT_EQ(timing.high, 8.25);
}

TEST(Timing, FewSamples) {
  Timing one = Timing::of(std::vector<double>{3});
  EXPECT_EQ(one.median, 3);
  EXPECT_EQ(one.low, 3);
  EXPECT_EQ(one.high, 3);
  Timing two = Timing::of(std::vector<double>{2, 4});
  EXPECT_EQ(two.median, 3);
  EXPECT_EQ(two.low, 2);
  EXPECT_EQ(two.high, 4);
  EXPECT_THROW(Timing::of({}), Error);
}

TEST(Timing, NoTimeHasNoSpread) { EXPECT_EQ(Timing::of(std::vector<double>{0, 0, 0}).spread(), 0); }

} // namespace
