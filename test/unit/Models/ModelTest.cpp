//===- ModelTest.cpp - Tests of the shapes of models ----------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Models/Model.h"
#include "../ErrorOf.h"

#include "lora/Support/Error.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>

using namespace lora;

namespace {

class Config : public testing::Test {
protected:
  void SetUp() override {
    folder = std::filesystem::path(testing::TempDir()) / "lora_models_test";
    std::filesystem::create_directories(folder);
  }
  void TearDown() override { std::filesystem::remove_all(folder); }
  void write(const std::string &text) { std::ofstream(folder / "config.json") << text; }

  std::filesystem::path folder;
};

TEST(Model, BuiltInByName) {
  Model model = findModel("qwen/qwen3-32b");
  EXPECT_EQ(model.projections()[0], (Projection{"qkv", 5120, {8192, 1024, 1024}}));
  EXPECT_EQ(findModel("Llama-2-7b-hf").projections()[3], (Projection{"down", 11008, {4096}}));
  EXPECT_EQ(builtInModels().size(), 5u);
  EXPECT_TRUE(
      errorOf([] { findModel("gpt-0"); })
          .starts_with("--models gpt-0: expected a config.json, a folder that holds one, or "
                       "one of meta-llama/Llama-2-7b-hf, "));
}

TEST(Model, TensorParallelism) {
  Model model = findModel("Meta-Llama-3-8B");
  std::vector<Projection> parts = model.projections(16);
  EXPECT_EQ(parts[0], (Projection{"qkv", 4096, {256, 128, 128}}));
  EXPECT_EQ(parts[1], (Projection{"o", 256, {4096}}));
  EXPECT_EQ(parts[2], (Projection{"gate_up", 4096, {896, 896}}));
  EXPECT_EQ(parts[3], (Projection{"down", 896, {4096}}));
  EXPECT_EQ(errorOf([&] { model.projections(3); }),
            "--tp-sizes 3: expected a divisor of 32 heads and of an intermediate size of 14336 "
            "(meta-llama/Meta-Llama-3-8B)");
}

TEST_F(Config, AnyModel) {
  write(R"({"hidden_size": 512, "intermediate_size": 1024, "num_attention_heads": 8,
            "num_key_value_heads": 2})");
  for (const std::filesystem::path &path : {folder, folder / "config.json"}) {
    Model model = findModel(path.string());
    EXPECT_EQ(model.shortName(), "lora_models_test");
    EXPECT_EQ(model.projections()[0], (Projection{"qkv", 512, {512, 128, 128}}));
  }
}

TEST_F(Config, LanguageModelOfALargerOne) {
  write(R"({"hidden_size": 1, "text_config": {"hidden_size": 512, "intermediate_size": 64,
            "num_attention_heads": 4, "head_dim": 32, "num_key_value_heads": null}})");
  EXPECT_EQ(findModel(folder.string()).projections()[0], (Projection{"qkv", 512, {128, 128, 128}}));
}

TEST_F(Config, WhatIsWrong) {
  std::string path = (folder / "config.json").string();
  write("[]");
  EXPECT_EQ(errorOf([&] { findModel(path); }),
            path + ": expected the config.json of a model, an object");
  write(R"({"hidden_size": 0})");
  EXPECT_EQ(errorOf([&] { findModel(path); }),
            path + ": hidden_size: found 0, expected an integer in 1 to 1073741824");
  write(R"({"hidden_size": 8})");
  EXPECT_EQ(errorOf([&] { findModel(path); }),
            path + ": intermediate_size: found none, expected an integer in 1 to 1073741824");
  // A head that nothing is left for.
  write(R"({"hidden_size": 4, "intermediate_size": 8, "num_attention_heads": 8})");
  EXPECT_EQ(errorOf([&] { findModel(path); }),
            path + ": head_dim: found none, expected an integer in 1 to 1073741824");
}

} // namespace
