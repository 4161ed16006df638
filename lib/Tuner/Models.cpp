//===- Models.cpp - The LoRA launches of well-known models ----------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Tuner/Models.h"

#include "lora/Support/Error.h"
#include "lora/Support/Files.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <limits>

using namespace lora;
using namespace lora::tuner;
using nlohmann::json;

static const Model kBuiltIn[] = {
    {"meta-llama/Llama-2-7b-hf", 4096, 11008, 32, 32, 128},
    {"meta-llama/Meta-Llama-3-8B", 4096, 14336, 32, 8, 128},
    {"meta-llama/Meta-Llama-3-70B", 8192, 28672, 64, 8, 128},
    {"Qwen/Qwen3-32B", 5120, 25600, 64, 8, 128},
    {"mistralai/Mistral-7B-v0.1", 4096, 14336, 32, 8, 128},
};

std::vector<Projection> Model::projections(int64_t tensorParallel) const {
  if (tensorParallel < 1 || heads % tensorParallel || intermediate % tensorParallel)
    throw Error("--tp-sizes " + std::to_string(tensorParallel) + ": expected a divisor of " +
                std::to_string(heads) + " heads and of an intermediate size of " +
                std::to_string(intermediate) + " (" + name + ")");
  auto columns = [](int64_t value) { return static_cast<int32_t>(value); };
  int64_t q = heads * headSize / tensorParallel;
  int64_t kv = std::max<int64_t>(keyValueHeads / tensorParallel, 1) * headSize;
  int64_t inner = intermediate / tensorParallel;
  return {{"qkv", hidden, {columns(q), columns(kv), columns(kv)}},
          {"o", q, {columns(hidden)}},
          {"gate_up", hidden, {columns(inner), columns(inner)}},
          {"down", inner, {columns(hidden)}}};
}

static Model readConfig(std::filesystem::path path) {
  if (std::filesystem::is_directory(path))
    path /= "config.json";
  std::string text = readFile(path), folder = path.parent_path().filename();
  json root;
  try {
    root = json::parse(text);
  } catch (const json::exception &) {
    throw Error(path.string() + ": expected a model's config.json, found no JSON");
  }
  if (!root.is_object())
    throw Error(path.string() + ": expected an object");
  // Models that see or hear keep the sizes of their language model one level down.
  if (root.contains("text_config") && root["text_config"].is_object())
    root = json(root["text_config"]);
  auto size = [&](const char *field, int64_t otherwise) {
    json value = root.contains(field) ? root[field] : json();
    if (value.is_null() && otherwise > 0)
      return otherwise;
    if (!value.is_number_integer() || value.get<int64_t>() < 1 ||
        value.get<int64_t>() > std::numeric_limits<int32_t>::max())
      throw Error(path.string() + ": " + field + ": expected a positive integer, found " +
                  value.dump());
    return value.get<int64_t>();
  };
  Model model;
  model.name = root.value("_name_or_path", folder);
  model.hidden = size("hidden_size", 0);
  model.intermediate = size("intermediate_size", 0);
  model.heads = size("num_attention_heads", 0);
  model.keyValueHeads = size("num_key_value_heads", model.heads);
  model.headSize = size("head_dim", model.hidden / model.heads);
  return model;
}

static std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

Model tuner::findModel(const std::string &name) {
  std::string known;
  for (const Model &model : kBuiltIn) {
    std::string all = lower(model.name);
    if (lower(name) == all || lower(name) == all.substr(all.find('/') + 1))
      return model;
    known += ", " + model.name;
  }
  if (std::filesystem::exists(name))
    return readConfig(name);
  throw Error("--models " + name + ": expected a config.json, a folder that holds one" + known);
}

Projection tuner::parseShape(const std::string &text) {
  auto fail = [&] {
    throw Error("--shapes " + text +
                ": expected HIDDENxWIDTH or HIDDENxWIDTH+WIDTH..., e.g. "
                "4096x4096+1024+1024");
  };
  Projection shape;
  shape.name = text;
  const char *at = text.data(), *end = at + text.size();
  auto number = [&] {
    int32_t value = 0;
    auto [next, status] = std::from_chars(at, end, value);
    if (status != std::errc() || value < 1)
      fail();
    at = next;
    return value;
  };
  shape.hidden = number();
  if (at == end || *at != 'x')
    fail();
  do {
    ++at;
    shape.widths.push_back(number());
  } while (at != end && *at == '+');
  if (at != end)
    fail();
  return shape;
}
