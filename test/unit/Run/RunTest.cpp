//===- RunTest.cpp - Tests of runs over real adapters ---------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Run/Run.h"

#include "lora/Support/Error.h"

#include <gtest/gtest.h>

#include <limits>

using namespace lora;

namespace {

RunOptions example() {
  const std::string adapters = LORA_TEST_DATA_DIR "/adapters/";
  RunOptions options;
  options.adapters = {adapters + "rank8-f32", adapters + "rank16-bf16-rslora",
                      adapters + "rank24-f16-mlp"};
  options.modules = {"q_proj", "k_proj", "v_proj"};
  options.tokens = 20;
  options.backend = "interpreter";
  return options;
}

std::string errorOf(const RunOptions &options) {
  try {
    runAdapters(options);
  } catch (const Error &error) {
    return error.what();
  }
  return "no error";
}

TEST(Run, Interpreter) {
  RunReport report = runAdapters(example());
  report.check();
  ASSERT_EQ(report.rows.size(), 3u);
  EXPECT_EQ(report.rows[0].op, "shrink");
  EXPECT_EQ(report.rows[0].shape, "x[20,256] f16 -> s[3,20,24] f32");
  EXPECT_LT(report.rows[0].error, 1e-6);
  EXPECT_EQ(report.rows[1].shape, "s[3,20,24] f32 -> y[20,384] f16");
  EXPECT_GT(report.rows[1].error, 0);
  EXPECT_EQ(report.rows[2].shape, "x[20,256] f16 -> y[20,384] f16");
  EXPECT_FALSE(report.rows[0].microseconds);
  EXPECT_EQ(report.tolerance, 2e-3);
}

TEST(Run, TypesAndSettings) {
  RunOptions options = example();
  options.xType = DType::BF16;
  options.adapters = {options.adapters[2]};
  options.addInputs = false;
  options.setShrink = {"SPLIT_K=2", "STAGES=1"};
  options.setExpand = {"BLOCK_N=64"};
  RunReport report = runAdapters(options);
  report.check();
  EXPECT_EQ(report.tolerance, 1e-2);
  EXPECT_NE(report.rows[0].config.find("SPLIT_K=2"), std::string::npos);
  EXPECT_NE(report.rows[1].config.find("BLOCK_N=64"), std::string::npos);
  EXPECT_NE(report.summary[1].find("weights f16, activations bf16"), std::string::npos);
}

TEST(Run, BadOptions) {
  RunOptions options = example();
  options.tokens.reset();
  EXPECT_EQ(errorOf(options), "number of tokens: found none, expected one for a random mapping");
  options.tokens = 2147483647;
  EXPECT_EQ(errorOf(options).find("tokens: found 2147483647, which need "), 0u);
  options = example();
  options.setShrink = {"SPLIT_K"};
  EXPECT_EQ(errorOf(options), "setting of shrink: found 'SPLIT_K', expected NAME=INTEGER");
  options.setShrink = {"SPLIT_K=two"};
  EXPECT_EQ(errorOf(options), "setting of shrink: found 'SPLIT_K=two', expected NAME=INTEGER");
  options = example();
  options.backend = "tpu";
  EXPECT_EQ(errorOf(options), "unknown backend 'tpu': expected one of interpreter, emulator, gpu");
}

TEST(RunReport, AlignedTable) {
  RunReport report;
  report.summary = {"modules   q_proj"};
  report.rows = {{"shrink", "x -> s", "A=1 B=2", 1.5e-7, 12.345}, {"expand", "s", "", 0.5, {}}};
  EXPECT_EQ(report.text(), "modules   q_proj\n"
                           "\n"
                           "op      shape   error     time [us]  config\n"
                           "shrink  x -> s  1.50e-07  12.35      A=1 B=2\n"
                           "expand  s       5.00e-01  -          -\n");
}

TEST(RunReport, ErrorsAboveTheTolerance) {
  RunReport report;
  report.tolerance = 2e-3;
  report.rows = {{"shrink", "", "", 2e-3, {}}, {"expand", "", "", 2.5e-3, {}}};
  try {
    report.check();
    FAIL();
  } catch (const Error &error) {
    EXPECT_STREQ(error.what(),
                 "expand: found a relative error of 2.50e-03, expected at most 2e-03");
  }
  report.rows[1].error = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(report.check(), Error);
}

} // namespace
