//===- CompareTest.cpp - Tests of what changed between two runs -----------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Bench/Compare.h"

#include "lora/Bench/Document.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace lora;
using nlohmann::ordered_json;

namespace {

ordered_json document(double us = 4, double spread = 0.01) {
  BenchCase one;
  one.ops = {BenchOp::Shrink};
  one.hidden = 1024;
  one.widths = {1024};
  one.rank = 16;
  std::vector<BenchResult> results = {
      {BenchOp::Shrink, "lora-tile", us, us * (1 - spread), us * (1 + spread), "", {}, ""},
      {BenchOp::Shrink, "cublas", us, us, us, "", {}, ""}};
  ordered_json document = emptyDocument();
  document["rows"].push_back(rowJson(one, results));
  return document;
}

TEST(Compare, NothingChanged) {
  Comparison same = compareDocuments(document(), document(4.1), 0.03, {});
  EXPECT_EQ(same.compared, 1u);
  EXPECT_TRUE(same.changes.empty());
}

TEST(Compare, SlowerAndFaster) {
  Comparison slower = compareDocuments(document(), document(4.4), 0.03, {});
  ASSERT_EQ(slower.changes.size(), 1u);
  EXPECT_EQ(slower.regressions, 1u);
  EXPECT_TRUE(
      slower.changes[0].starts_with("slower  +10.0%  4.00 -> 4.40 us  shrink lora-tile  batch=1 "))
      << slower.changes[0];
  Comparison faster = compareDocuments(document(4.4), document(), 0.03, {});
  ASSERT_EQ(faster.changes.size(), 1u);
  EXPECT_EQ(faster.regressions, 0u);
  EXPECT_TRUE(compareDocuments(document(), document(4.4), 0.2, {}).changes.empty());
}

TEST(Compare, WithinTheSpread) {
  EXPECT_TRUE(compareDocuments(document(4, 0.06), document(4.4, 0.06), 0.03, {}).changes.empty());
}

TEST(Compare, FailedAndGone) {
  ordered_json after = document();
  after["rows"][0]["results"][0] = {{"op", "shrink"}, {"impl", "lora-tile"}, {"failed", "wrong"}};
  Comparison failed = compareDocuments(document(), after, 0.03, {});
  ASSERT_EQ(failed.changes.size(), 1u);
  EXPECT_TRUE(failed.changes[0].starts_with("failed  shrink lora-tile  batch=1 "));
  EXPECT_TRUE(failed.changes[0].ends_with(": wrong"));
  after["rows"][0]["results"].erase(0);
  Comparison gone = compareDocuments(document(), after, 0.03, {});
  ASSERT_EQ(gone.changes.size(), 1u);
  EXPECT_TRUE(gone.changes[0].starts_with("gone    shrink lora-tile"));
  EXPECT_EQ(gone.regressions, 1u);
}

TEST(Compare, ChosenImplementations) {
  std::vector<std::string> impls = {"cublas"};
  EXPECT_EQ(compareDocuments(document(), document(5), 0.03, impls).regressions, 1u);
}

TEST(Compare, OnlyRowsOfBoth) {
  ordered_json other = document();
  other["rows"][0]["key"] = "another";
  EXPECT_EQ(compareDocuments(document(), other, 0.03, {}).compared, 0u);
}

} // namespace
