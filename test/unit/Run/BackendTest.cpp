//===- BackendTest.cpp - Tests of the choice of a backend ----------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Execution/Backend.h"

#include "lora/Execution/GpuBackend.h"
#include "lora/Support/Error.h"

#include <gtest/gtest.h>

using namespace lora;

namespace {

LoraProblem example(LoraOp op) {
  LoraShape shape;
  shape.tokens = 20;
  shape.hidden = 2049;
  shape.maxLoras = 2;
  shape.maxRank = 16;
  shape.ranks = {16, 5};
  shape.sliceWidths = {72, 40};
  std::vector<int32_t> tokenLora = randomMapping(shape.tokens, 2, 0.2, 1);
  return LoraProblem(op, shape, tokenLora, 1);
}

TEST(Backend, TargetOfADevice) {
  EXPECT_EQ(targetOf(80), "sm_80");
  EXPECT_EQ(targetOf(90), "sm_90a");
  EXPECT_EQ(targetOf(120), "sm_120a");
  try {
    targetOf(75);
    FAIL();
  } catch (const Error &error) {
    EXPECT_EQ(std::string(error.what())
                  .find("device of compute capability 7.5: expected one for sm_80, sm_86"),
              0u);
  }
}

TEST(Backend, HostBackends) {
  for (const char *name : {"interpreter", "emulator"}) {
    Backend backend = Backend::create(name, "");
    EXPECT_EQ(backend.description(), name);
    EXPECT_EQ(backend.target(), "sm_90a");
    EXPECT_EQ(Backend::create(name, "sm_86").target(), "sm_86");
  }
  EXPECT_THROW(Backend::create("emulator", "sm_75"), Error);
  EXPECT_THROW(Backend::create("cpu", ""), Error);
}

TEST(Backend, Gpu) {
  if (!Driver::available()) {
    EXPECT_THROW(Backend::create("gpu", ""), Error);
    GTEST_SKIP() << "there is no GPU";
  }
  Backend backend = Backend::create("", "");
  EXPECT_EQ(backend.description().find("gpu ("), 0u);
  std::vector<int64_t> tokens(20);
  for (size_t i = 0; i < tokens.size(); ++i)
    tokens[i] = static_cast<int64_t>(i);
  for (LoraOp op : {LoraOp::Shrink, LoraOp::Expand}) {
    LoraProblem problem = example(op);
    std::optional<double> time = backend.run(problem, defaultConfig(op, problem.shape()));
    ASSERT_TRUE(time);
    EXPECT_GT(*time, 0);
    EXPECT_LT(problem.error(tokens), 2e-3);
    problem.checkUntouched();
  }
}

} // namespace
