//===- WatchdogTest.cpp - Tests of the watchdog ---------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Watchdog.h"

#include <gtest/gtest.h>

#include <cstdio>

using namespace lora::tuner;

namespace {

TEST(Watchdog, LeavesShortWorkAlone) {
  Watchdog watchdog(std::chrono::seconds(60), [] { FAIL(); });
  for (int i = 0; i < 1000; ++i)
    Watchdog::Scope scope(watchdog);
}

TEST(WatchdogDeathTest, EndsWhatHangs) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  auto hang = [] {
    Watchdog watchdog(std::chrono::seconds(1), [] { std::fputs("hangs", stderr); });
    Watchdog::Scope scope(watchdog);
    std::this_thread::sleep_for(std::chrono::seconds(100));
  };
  EXPECT_EXIT(hang(), testing::ExitedWithCode(3), "hangs");
}

} // namespace
