//===- PeftAdaptersTest.cpp - Adapters that the PEFT library saved -------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// test/data/make_adapters.py wrote these adapters, and beside them what PEFT and PyTorch say of
// them.
//
//===----------------------------------------------------------------------===//

#include "lora/Adapter/Adapter.h"

#include "TestFiles.h"
#include "lora/Support/Half.h"

#include <cmath>
#include <nlohmann/json.hpp>

using namespace lora;
using namespace lora::test;
using Json = nlohmann::json;

namespace {

const std::filesystem::path adaptersDir = std::filesystem::path(LORA_TEST_DATA_DIR) / "adapters";

Json expectedValues() { return Json::parse(std::ifstream(adaptersDir / "expected.json")); }

const char *torchName(const StoredTensor &tensor) {
  return tensor.type == DType::F16    ? "float16"
         : tensor.type == DType::BF16 ? "bfloat16"
                                      : "float32";
}

void checkTensor(const StoredTensor &tensor, const Json &tensors) {
  SCOPED_TRACE(tensor.name);
  const Json &expected = tensors.at(tensor.name);
  EXPECT_EQ(torchName(tensor), expected["dtype"]);
  EXPECT_EQ(tensor.shape, expected["shape"].get<std::vector<int64_t>>());
  const std::vector<float> values = tensor.toFloat();
  ASSERT_EQ(values.size(), static_cast<size_t>(tensor.shape[0] * tensor.shape[1]));
  for (const auto &[index, value] : expected["elements"].items())
    EXPECT_EQ(values[std::stoul(index)], value.get<double>()) << index;
  double sum = 0, magnitude = 0;
  for (const float value : values) {
    sum += value;
    magnitude += std::fabs(value);
  }
  EXPECT_GT(magnitude, 0);
  // The order of the additions is not known, so allow for their rounding in double.
  EXPECT_NEAR(sum, expected["sum"].get<double>(), 1e-12 * magnitude);
}

TEST(PeftAdaptersTest, ValuesAreThoseOfPeft) {
  const Json all = expectedValues();
  EXPECT_GE(all.size(), 3u);
  for (const auto &[name, expected] : all.items()) {
    SCOPED_TRACE(name);
    const Adapter adapter = Adapter::load(adaptersDir / name);
    EXPECT_EQ(adapter.modules().size(), expected["modules"].size());
    EXPECT_EQ(2 * adapter.modules().size(), expected["tensors"].size());
    for (const AdapterModule &module : adapter.modules()) {
      const Json &facts = expected["modules"].at(module.name);
      EXPECT_EQ(module.rank, facts["rank"].get<int64_t>()) << module.name;
      EXPECT_DOUBLE_EQ(module.scaling, facts["scaling"].get<double>()) << module.name;
      checkTensor(module.a, expected["tensors"]);
      checkTensor(module.b, expected["tensors"]);
    }
  }
}

TEST(PeftAdaptersTest, AttentionOfAllAdaptersStacks) {
  const std::vector<Adapter> adapters = {Adapter::load(adaptersDir / "rank8-f32"),
                                         Adapter::load(adaptersDir / "rank16-bf16-rslora"),
                                         Adapter::load(adaptersDir / "rank24-f16-mlp")};
  for (const int64_t layer : {0, 1}) {
    EXPECT_EQ(compatibleModules(adapters, "q_proj", layer)[0]->outFeatures, 256);
    const auto keys = compatibleModules(adapters, "k_proj", layer);
    EXPECT_EQ(keys[0]->outFeatures, 64);
    EXPECT_EQ(keys[1]->rank, 16);
    EXPECT_EQ(keys[1]->scaling, 2.0);
    EXPECT_EQ(keys[2]->scaling, 1.5);
  }
  expectError([&] { compatibleModules(adapters, "gate_proj", 1); },
              {"rank8-f32: module 'gate_proj' of layer 1: found none among 8 modules"});
  EXPECT_EQ(adapters[2].get("down_proj", 1).inFeatures, 512);
}

TEST(PeftAdaptersTest, PatternsAreThoseOfPeft) {
  const Adapter adapter = Adapter::load(adaptersDir / "patterns-f16");
  EXPECT_EQ(adapter.get("q_proj", 0).rank, 8);
  EXPECT_EQ(adapter.get("q_proj", 1).rank, 5);
  EXPECT_EQ(adapter.get("v_proj", 1).rank, 4);
  EXPECT_EQ(adapter.get("v_proj", 1).scaling, 2.5);
}

TEST(PeftAdaptersTest, ConvertsBetweenTypes) {
  const Adapter adapter = Adapter::load(adaptersDir / "rank16-bf16-rslora");
  const StoredTensor &a = adapter.get("q_proj", 0).a;
  const std::vector<float> values = a.toFloat();
  const std::vector<uint16_t> halves = a.toHalf();
  const std::vector<uint16_t> bfloats = a.toBFloat();
  for (size_t i = 0; i < values.size(); ++i) {
    ASSERT_EQ(halves[i], floatToHalf(values[i])) << i;
    ASSERT_EQ(bfloatToFloat(bfloats[i]), values[i]) << i;
  }
}

} // namespace
