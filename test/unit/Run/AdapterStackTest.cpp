//===- AdapterStackTest.cpp - Tests of adapters side by side --------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Run/AdapterStack.h"
#include "../ErrorOf.h"

#include "lora/Support/Error.h"

#include <gtest/gtest.h>

#include <functional>

using namespace lora;

namespace {

const std::string adaptersDir = LORA_TEST_DATA_DIR "/adapters/";

std::vector<Adapter> load(std::initializer_list<const char *> names) {
  std::vector<Adapter> adapters;
  for (const char *name : names)
    adapters.push_back(Adapter::load(adaptersDir + name));
  return adapters;
}

TEST(AdapterStack, SlicesOfUnequalWidth) {
  std::vector<Adapter> adapters = load({"rank8-f32", "rank16-bf16-rslora"});
  const std::vector<std::string> modules = {"q_proj", "k_proj"};
  AdapterStack stack = AdapterStack::select(adapters, modules, 1);
  EXPECT_EQ(stack.hidden, 256);
  EXPECT_EQ(stack.sliceWidths, (std::vector<int32_t>{256, 64}));
  EXPECT_EQ(stack.ranks, (std::vector<int32_t>{8, 16}));
  EXPECT_EQ(stack.scalings, (std::vector<float>{2, 2}));
  ASSERT_EQ(stack.modules.size(), 4u);
  EXPECT_EQ(stack.modules[3], &adapters[1].get("k_proj", 1));
  EXPECT_EQ(stack.commonType(), std::nullopt);
  EXPECT_EQ(AdapterStack::select(std::span(adapters).last(1), modules).commonType(), DType::BF16);
}

TEST(AdapterStack, WithoutALayerItIsTheFirst) {
  std::vector<Adapter> adapters = load({"rank8-f32"});
  const std::vector<std::string> modules = {"q_proj"};
  EXPECT_EQ(AdapterStack::select(adapters, modules).modules.front()->layer, 0);
}

TEST(AdapterStack, FillsAProblem) {
  std::vector<Adapter> adapters = load({"rank8-f32", "rank16-bf16-rslora"});
  const std::vector<std::string> modules = {"q_proj", "k_proj"};
  AdapterStack stack = AdapterStack::select(adapters, modules);
  LoraShape shape;
  shape.tokens = 2;
  shape.hidden = stack.hidden;
  shape.maxLoras = 2;
  shape.maxRank = 16;
  shape.ranks = stack.ranks;
  shape.sliceWidths = stack.sliceWidths;
  LoraProblem problem(LoraOp::Expand, shape, std::vector<int32_t>{0, 1}, 0);
  stack.fill(problem);
  Arguments arguments = problem.arguments(16);
  auto *table = reinterpret_cast<const uint64_t *>(arguments.find("b")->bits);
  auto *b = reinterpret_cast<const uint16_t *>(table[1 * 2 + 0]);
  // Row 5 of k_proj of the first adapter, whose rank is 8.
  std::vector<uint16_t> expected = stack.modules[2]->b.toHalf();
  EXPECT_TRUE(std::equal(expected.begin() + 5 * 8, expected.begin() + 6 * 8, b + 5 * 16));
}

TEST(AdapterStack, ModulesThatDoNotFit) {
  auto select = [](std::initializer_list<const char *> names, std::vector<std::string> modules) {
    return errorOf([&] { AdapterStack::select(load(names), modules); });
  };
  EXPECT_EQ(select({"rank24-f16-mlp"}, {"q_proj", "down_proj"}),
            adaptersDir +
                "rank24-f16-mlp: module 'model.layers.0.mlp.down_proj': found in features "
                "512, expected 256 as for 'model.layers.0.self_attn.q_proj': modules of "
                "one launch share x");
  EXPECT_EQ(select({"patterns-f16"}, {"q_proj", "v_proj"}),
            adaptersDir + "patterns-f16: module 'model.layers.0.self_attn.v_proj': found rank 4, "
                          "expected 8 as for 'model.layers.0.self_attn.q_proj': modules of one "
                          "launch share the adapter's rank and scaling");
  EXPECT_NE(select({"rank8-f32", "patterns-f16"}, {"k_proj"}).find("patterns-f16"),
            std::string::npos);
  EXPECT_EQ(select({}, {"q_proj"}), "expected at least one adapter and one module");
}

} // namespace
