//===- AdapterTest.cpp - Good and malformed adapter directories ----------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Adapter/Adapter.h"

#include "TestFiles.h"

#include <nlohmann/json.hpp>

using namespace lora;
using namespace lora::test;
using Json = nlohmann::json;

namespace {

struct TensorSpec {
  std::string name;
  std::vector<int64_t> shape;
  std::string type = "F16";
};

const std::string qProj = "base_model.model.model.layers.0.self_attn.q_proj";
const std::string vProj = "base_model.model.model.layers.0.self_attn.v_proj";

/// The two weights of one module.
std::vector<TensorSpec> weights(const std::string &module, int64_t rank, int64_t in, int64_t out) {
  return {{module + ".lora_A.weight", {rank, in}}, {module + ".lora_B.weight", {out, rank}}};
}

std::vector<TensorSpec> operator+(std::vector<TensorSpec> a, const std::vector<TensorSpec> &b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Json goodConfig() {
  return {{"peft_type", "LORA"},
          {"r", 4},
          {"lora_alpha", 8},
          {"target_modules", {"q_proj", "v_proj"}},
          {"bias", "none"},
          {"use_dora", false},
          {"modules_to_save", nullptr}};
}

class AdapterTest : public testing::Test {
protected:
  TempDir temporary;
  Json config = goodConfig();
  std::vector<TensorSpec> tensors = weights(qProj, 4, 16, 32) + weights(vProj, 4, 16, 8);

  std::filesystem::path write(const std::string &name = "adapter") {
    const auto directory = temporary / name;
    std::filesystem::create_directories(directory);
    writeFile(directory / "adapter_config.json", config.dump());
    Json header = Json::object();
    size_t end = 0;
    for (const TensorSpec &tensor : tensors) {
      const size_t begin = end;
      size_t bytes = tensor.type == "F32" ? 4 : tensor.type == "I8" ? 1 : 2;
      for (const int64_t size : tensor.shape)
        bytes *= static_cast<size_t>(size);
      end += bytes;
      header[tensor.name] = {
          {"dtype", tensor.type}, {"shape", tensor.shape}, {"data_offsets", {begin, end}}};
    }
    writeFile(directory / "adapter_model.safetensors",
              safetensorsBytes(header.dump(), std::string(end, '\0')));
    return directory;
  }

  Adapter load(const std::string &name = "adapter") { return Adapter::load(write(name)); }

  void expectRefused(std::initializer_list<std::string> parts) {
    const auto directory = write();
    expectError([&] { Adapter::load(directory); }, parts);
  }

  /// Writes a config that is not a dump of `config`.
  void expectConfigRefused(const std::string &text, const std::string &what) {
    const auto directory = write();
    writeFile(directory / "adapter_config.json", text);
    expectError([&] { Adapter::load(directory); }, {"adapter_config.json", what});
  }
};

TEST_F(AdapterTest, DescribesModules) {
  const Adapter adapter = load();
  ASSERT_EQ(adapter.modules().size(), 2u);
  const AdapterModule &module = adapter.modules()[1];
  EXPECT_EQ(module.name, "model.layers.0.self_attn.v_proj");
  EXPECT_EQ(module.layer, 0);
  EXPECT_EQ(module.rank, 4);
  EXPECT_EQ(module.inFeatures, 16);
  EXPECT_EQ(module.outFeatures, 8);
  EXPECT_EQ(module.scaling, 2.0);
  EXPECT_EQ(module.a.toHalf().size(), 64u);
  EXPECT_EQ(module.b.name, vProj + ".lora_B.weight");
  EXPECT_EQ(adapter.directory(), temporary / "adapter");
}

TEST_F(AdapterTest, ScalesByTheRootOfTheRankWhenStabilised) {
  config["use_rslora"] = true;
  EXPECT_EQ(load().modules()[0].scaling, 4.0);
}

TEST_F(AdapterTest, AcceptsFractionalAlpha) {
  config["lora_alpha"] = 0.5;
  EXPECT_EQ(load().modules()[0].scaling, 0.125);
}

TEST_F(AdapterTest, SortsByLayerNumber) {
  tensors.clear();
  for (const char *layer : {"10", "9", "2"})
    tensors =
        tensors + weights("base_model.model.layers." + std::string(layer) + ".q_proj", 4, 16, 16);
  tensors = tensors + weights("base_model.model.q_proj", 4, 16, 16);
  std::vector<std::string> names;
  const Adapter adapter = load();
  for (const AdapterModule &module : adapter.modules())
    names.push_back(module.name);
  EXPECT_EQ(names, (std::vector<std::string>{"q_proj", "layers.2.q_proj", "layers.9.q_proj",
                                             "layers.10.q_proj"}));
  EXPECT_EQ(adapter.modules()[0].layer, std::nullopt);
}

TEST_F(AdapterTest, FindsModules) {
  tensors = weights("base_model.model.layers.0.q_proj", 4, 16, 16) +
            weights("base_model.model.layers.1.q_proj", 4, 16, 16);
  const Adapter adapter = load();
  EXPECT_EQ(adapter.find("q_proj", 1)->name, "layers.1.q_proj");
  EXPECT_EQ(adapter.find("layers.0.q_proj")->name, "layers.0.q_proj");
  EXPECT_EQ(adapter.find("proj", 0), nullptr);
  EXPECT_EQ(adapter.find("q_proj", 2), nullptr);
  expectError([&] { adapter.find("q_proj"); },
              {"module 'q_proj': found 'layers.0.q_proj' and 'layers.1.q_proj', expected one"});
  expectError(
      [&] { adapter.get("q_proj", 2); },
      {temporary.root().string(), "module 'q_proj' of layer 2: found none among 2 modules"});
}

TEST_F(AdapterTest, PatternsSetRankAndAlpha) {
  config["rank_pattern"] = {{"self_attn.q_proj", 2}, {"^self_attn.v_proj", 3}, {"proj", 5}};
  config["alpha_pattern"] = {{"^model.layers.0.self_attn.v_proj", 1}};
  tensors = weights(qProj, 2, 16, 32) + weights(vProj, 4, 16, 8);
  const Adapter adapter = load();
  EXPECT_EQ(adapter.get("q_proj").rank, 2);
  EXPECT_EQ(adapter.get("q_proj").scaling, 4.0);
  EXPECT_EQ(adapter.get("v_proj").rank, 4);
  EXPECT_EQ(adapter.get("v_proj").scaling, 0.25);
}

TEST_F(AdapterTest, TheFirstPatternInTheFileWins) {
  tensors = weights(qProj, 2, 16, 32);
  const auto directory = write();
  writeFile(directory / "adapter_config.json",
            R"({"peft_type":"LORA","r":4,"lora_alpha":8,"target_modules":["q_proj"],)"
            R"("rank_pattern":{"self_attn.q_proj":2,"q_proj":3}})");
  EXPECT_EQ(Adapter::load(directory).get("q_proj").rank, 2);
}

TEST_F(AdapterTest, RefusesGeneralPatterns) {
  config["rank_pattern"] = {{".*_proj", 2}};
  expectRefused({"field 'rank_pattern': found the regular expression '.*_proj', expected"});
  config["rank_pattern"] = {{"a^b", 2}};
  expectRefused({"regular expression 'a^b'"});
  config["rank_pattern"] = {{"q_proj", 0}};
  expectRefused({"field 'rank_pattern.q_proj': found 0, expected a positive integer"});
  config["rank_pattern"] = {1};
  expectRefused({"field 'rank_pattern': found a list of 1, expected an object"});
}

TEST_F(AdapterTest, AcceptsTargetModulesAsOneString) {
  config["target_modules"] = ".*attn.*";
  EXPECT_EQ(load().modules().size(), 2u);
}

TEST_F(AdapterTest, RefusesMissingFiles) {
  const auto directory = write();
  std::filesystem::remove(directory / "adapter_model.safetensors");
  expectError([&] { Adapter::load(directory); }, {"adapter_model.safetensors: cannot open"});
  std::filesystem::remove(directory / "adapter_config.json");
  expectError([&] { Adapter::load(directory); }, {"adapter_config.json: cannot open"});
}

TEST_F(AdapterTest, RefusesMalformedConfigs) {
  expectConfigRefused("", "malformed JSON at byte 1");
  expectConfigRefused("{\"r\":", "malformed JSON at byte 6");
  expectConfigRefused("[]", "found a list of 0, expected an object");
  expectConfigRefused(R"({"r":1e999})", "value out of range");
  expectConfigRefused(std::string((1 << 20) + 1, ' '), "expected at most 1048576");
  expectConfigRefused(std::string(1 << 20, '['), "malformed JSON");
}

TEST_F(AdapterTest, RefusesMissingConfigFields) {
  for (const char *name : {"peft_type", "r", "lora_alpha", "target_modules"}) {
    config = goodConfig();
    config.erase(name);
    expectRefused({"adapter_config.json: field '" + std::string(name) + "': found nothing"});
  }
}

TEST_F(AdapterTest, RefusesWrongConfigValues) {
  const std::tuple<const char *, Json, const char *> cases[] = {
      {"peft_type", "IA3", "found 'IA3', expected 'LORA'"},
      {"r", 0, "found 0, expected a positive integer"},
      {"r", -8, "found -8, expected a positive integer"},
      {"r", 8.0, "found 8.0, expected a positive integer"},
      {"r", UINT64_MAX, "found 18446744073709551615, expected a positive integer"},
      {"r", "8", "found '8', expected a positive integer"},
      {"lora_alpha", "16", "found '16', expected a number"},
      {"use_rslora", 1, "found 1, expected true or false"},
      {"target_modules", 3, "found 3, expected a list of module names or a string"},
      {"target_modules", {1}, "found 1 in the list, expected a list of module names"},
      {"bias", "all", "found 'all', expected 'none'"},
      {"use_dora", true, "found true, expected nothing there: this feature"},
      {"fan_in_fan_out", true, "found true, expected nothing there"},
      {"modules_to_save", {"lm_head"}, "found a list of 1, expected nothing there"},
      {"lora_bias", true, "found true, expected nothing there"},
      {"layer_replication", {{0, 1}}, "found a list of 1, expected nothing there"},
      {"use_bdlora", {{"nblocks", 2}}, "found an object, expected nothing there"},
  };
  for (const auto &[name, value, what] : cases) {
    config = goodConfig();
    config[name] = value;
    expectRefused({"adapter_config.json: field '" + std::string(name) + "': " + what});
  }
}

TEST_F(AdapterTest, RefusesHalfAPair) {
  tensors.pop_back();
  expectRefused({"adapter_model.safetensors: tensor '" + vProj + ".lora_A.weight'",
                 "found no lora_B beside it, expected one"});
  tensors = {weights(qProj, 4, 16, 32)[1]};
  expectRefused({"tensor '" + qProj + ".lora_B.weight'", "found no lora_A beside it"});
}

TEST_F(AdapterTest, RefusesShapesThatDisagree) {
  tensors = weights(qProj, 8, 16, 32);
  expectRefused({"tensor '" + qProj + ".lora_A.weight': found shape [8, 16], expected [4, in"});
  tensors = weights(qProj, 4, 16, 32);
  tensors[1].shape = {32, 5};
  expectRefused({"tensor '" + qProj + ".lora_B.weight': found shape [32, 5], expected [out"});
  tensors[1].shape = {32, 4, 1};
  expectRefused({"found shape [32, 4, 1], expected [out features, 4]"});
  tensors[1].shape = {0, 4};
  expectRefused({"found shape [0, 4], expected [out features, 4]"});
}

TEST_F(AdapterTest, RefusesOtherTensors) {
  const std::string names[] = {"lm_head.weight", qProj + ".lora_magnitude_vector.weight",
                               "base_model.model.lora_A.weight", "base_model.model..lora_A.weight",
                               "model.layers.0.q_proj.lora_A.weight"};
  for (const std::string &name : names) {
    tensors = {{name, {4, 4}}};
    expectRefused({"tensor '" + name + "': found this name, expected base_model.model.<module>"});
  }
  tensors.clear();
  expectRefused({"found no tensors"});
}

TEST_F(AdapterTest, RefusesTypesThatCannotBeUsed) {
  tensors = weights(qProj, 4, 16, 32);
  tensors[0].type = "I8";
  expectRefused({"lora_A.weight': found type I8, expected F16, BF16 or F32"});
}

TEST_F(AdapterTest, RefusesModulesThatAreNotTargets) {
  config["target_modules"] = {"q_proj", "proj"};
  expectRefused({"tensor '" + vProj + ".lora_A.weight'", "target_modules"});
}

TEST_F(AdapterTest, ModulesOfEqualFeaturesAreCompatible) {
  std::vector<Adapter> adapters = {load("first")};
  config["r"] = 6;
  tensors = weights(qProj, 6, 16, 32);
  adapters.push_back(load("second"));
  const auto modules = compatibleModules(adapters, "q_proj", 0);
  ASSERT_EQ(modules.size(), 2u);
  EXPECT_EQ(modules[0]->rank, 4);
  EXPECT_EQ(modules[1]->rank, 6);
  EXPECT_TRUE(compatibleModules({}, "q_proj").empty());
}

TEST_F(AdapterTest, RefusesToStackDifferentModules) {
  std::vector<Adapter> adapters = {load("first")};
  tensors = weights(qProj, 4, 16, 48);
  adapters.push_back(load("second"));
  expectError([&] { compatibleModules(adapters, "q_proj"); },
              {(temporary / "second").string() + ": module 'model.layers.0.self_attn.q_proj'",
               "found 16 in and 48 out features, expected 16 in and 32 out features as in " +
                   (temporary / "first").string()});
  expectError([&] { compatibleModules(adapters, "v_proj"); },
              {(temporary / "second").string() + ": module 'v_proj': found none"});
}

} // namespace
