//===- OptionsTest.cpp - Tests of the cases that options ask for ----------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Bench/Options.h"

#include "lora/Support/Error.h"

#include <gtest/gtest.h>

#include <set>

using namespace lora;

namespace {

std::string errorOf(const BenchOptions &options) {
  try {
    makeCases(options);
  } catch (const Error &error) {
    return error.what();
  }
  return "no error";
}

BenchOptions oneSize() {
  BenchOptions options;
  options.batchSizes = {4};
  options.hiddenSizes = {1024};
  return options;
}

TEST(BenchOptions, ListIsTheProduct) {
  BenchOptions options;
  options.batchSizes = {1, 16};
  options.seqLengths = {1, 8};
  options.hiddenSizes = {1024, 2048};
  options.numSlices = {1, 3};
  std::vector<BenchCase> cases = makeCases(options);
  std::set<std::string> keys;
  for (const BenchCase &one : cases)
    keys.insert(one.key());
  EXPECT_EQ(cases.size(), 16u);
  EXPECT_EQ(keys.size(), 16u);
  EXPECT_EQ(cases.back().widths, (std::vector<int64_t>{2048, 2048, 2048}));
  EXPECT_EQ(cases.back().ops.size(), 3u);
}

TEST(BenchOptions, RangeHasItsEnd) {
  BenchOptions options;
  options.mode = BenchMode::Range;
  options.batchSizes = {1};
  options.hiddenSteps = {1024, 3072, 1024};
  options.rankSteps = {8, 20, 8};
  std::vector<BenchCase> cases = makeCases(options);
  ASSERT_EQ(cases.size(), 6u);
  EXPECT_EQ(cases.front().rank, 8);
  EXPECT_EQ(cases.back().rank, 16);
  EXPECT_EQ(cases.back().hidden, 3072);
  options.rankSteps = {16, 8, 8};
  EXPECT_EQ(
      errorOf(options),
      "--lora-ranks-start 16 -end 8 -increment 8: expected an increment of at least 1, and an "
      "end that is not below the start");
}

TEST(BenchOptions, OlderNames) {
  BenchOptions options = oneSize();
  options.opTypes = {"bgmv_shrink", "sgmv_expand_slice"};
  options.sortByLoraId = {0, 1};
  std::vector<BenchCase> cases = makeCases(options);
  ASSERT_EQ(cases.size(), 2u);
  EXPECT_FALSE(cases[0].sort);
  EXPECT_EQ(cases[0].ops, std::vector<BenchOp>{BenchOp::Shrink});
  EXPECT_TRUE(cases[1].sort);
  EXPECT_EQ(cases[1].offset, 1024);
  EXPECT_EQ(cases[1].yWidth(), 2048);
}

TEST(BenchOptions, SameCaseIsMeasuredOnce) {
  BenchOptions options = oneSize();
  options.opTypes = {"sgmv_expand", "lora_shrink"};
  std::vector<BenchCase> cases = makeCases(options);
  ASSERT_EQ(cases.size(), 1u);
  EXPECT_EQ(cases[0].ops, (std::vector<BenchOp>{BenchOp::Shrink, BenchOp::Expand}));
}

TEST(BenchOptions, Models) {
  BenchOptions options = oneSize();
  options.mode = BenchMode::Model;
  options.models = {"Meta-Llama-3-8B"};
  options.tpSizes = {1, 2};
  std::vector<BenchCase> cases = makeCases(options);
  ASSERT_EQ(cases.size(), 8u);
  EXPECT_EQ(cases[0].label, "Meta-Llama-3-8B qkv");
  EXPECT_EQ(cases[4].label, "Meta-Llama-3-8B tp2 qkv");
  EXPECT_EQ(cases[4].widths, (std::vector<int64_t>{2048, 512, 512}));
}

TEST(BenchOptions, AdapterTellsRankAndModules) {
  BenchOptions options = oneSize();
  options.mode = BenchMode::Model;
  options.models = {"Llama-2-7b-hf"};
  options.adapter = ADAPTERS "/rank24-f16-mlp";
  std::vector<BenchCase> cases = makeCases(options);
  ASSERT_FALSE(cases.empty());
  for (const BenchCase &one : cases)
    EXPECT_EQ(one.rank, 24);
}

TEST(BenchOptions, WhatDoesNotGoTogether) {
  BenchOptions options = oneSize();
  options.opTypes = {"lora_shirnk"};
  EXPECT_TRUE(errorOf(options).starts_with(
      "--op-types: found 'lora_shirnk', expected one of lora_shrink, "));
  options.opTypes = {"bgmv_shrink"};
  options.seqLengths = {2};
  EXPECT_EQ(errorOf(options),
            "--op-types: bgmv_* has one token a request, expected --seq-lengths 1");
}

} // namespace
