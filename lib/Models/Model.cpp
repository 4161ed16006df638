//===- Model.cpp - Shapes of the layers of models -------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Models/Model.h"

#include "lora/Support/Error.h"
#include "lora/Support/Files.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <optional>

using namespace lora;
using nlohmann::json;

namespace {

const std::array<Model, 5> knownModels = {{
    {"meta-llama/Llama-2-7b-hf", 4096, 11008, 32, 32, 128},
    {"meta-llama/Meta-Llama-3-8B", 4096, 14336, 32, 8, 128},
    {"meta-llama/Meta-Llama-3-70B", 8192, 28672, 64, 8, 128},
    {"Qwen/Qwen3-32B", 5120, 25600, 64, 8, 128},
    {"mistralai/Mistral-7B-v0.1", 4096, 14336, 32, 8, 128},
}};

std::string lower(std::string_view text) {
  std::string result(text);
  for (char &character : result)
    character = static_cast<char>(std::tolower(static_cast<unsigned char>(character)));
  return result;
}

int64_t sizeIn(const json &config, const std::string &path, const char *field,
               std::optional<int64_t> otherwise = {}) {
  auto found = config.find(field);
  bool isThere = found != config.end() && !found->is_null();
  if (!isThere && otherwise && *otherwise > 0)
    return *otherwise;
  constexpr int64_t most = 1 << 30;
  if (!isThere || !found->is_number_integer() || found->get<int64_t>() < 1 ||
      found->get<int64_t>() > most)
    throw Error(path + ": " + field + ": found " + (isThere ? found->dump() : "none") +
                ", expected an integer in 1 to " + std::to_string(most));
  return found->get<int64_t>();
}

Model readConfig(std::filesystem::path path) {
  if (std::filesystem::is_directory(path))
    path /= "config.json";
  json config = json::parse(readFile(path.string()), nullptr, false);
  if (!config.is_object())
    throw Error(path.string() + ": expected the config.json of a model, an object");
  // Models that see or hear keep the sizes of their language model one level down.
  if (auto text = config.find("text_config"); text != config.end() && text->is_object())
    config = json(*text);
  Model model;
  if (auto name = config.find("_name_or_path"); name != config.end() && name->is_string())
    model.name = name->get<std::string>();
  if (model.name.empty())
    model.name = std::filesystem::absolute(path).parent_path().filename().string();
  model.hidden = sizeIn(config, path.string(), "hidden_size");
  model.intermediate = sizeIn(config, path.string(), "intermediate_size");
  model.heads = sizeIn(config, path.string(), "num_attention_heads");
  model.kvHeads = sizeIn(config, path.string(), "num_key_value_heads", model.heads);
  model.headDim = sizeIn(config, path.string(), "head_dim", model.hidden / model.heads);
  return model;
}

} // namespace

std::vector<Projection> Model::projections(int64_t tp) const {
  if (tp < 1 || heads % tp || intermediate % tp)
    throw Error("--tp-sizes " + std::to_string(tp) + ": expected a divisor of " +
                std::to_string(heads) + " heads and of an intermediate size of " +
                std::to_string(intermediate) + " (" + name + ")");
  int64_t q = heads * headDim / tp;
  int64_t kv = std::max<int64_t>(kvHeads / tp, 1) * headDim;
  int64_t inner = intermediate / tp;
  return {{"qkv", hidden, {q, kv, kv}},
          {"o", q, {hidden}},
          {"gate_up", hidden, {inner, inner}},
          {"down", inner, {hidden}}};
}

std::string Model::shortName() const { return name.substr(name.rfind('/') + 1); }

std::span<const Model> lora::builtInModels() { return knownModels; }

Model lora::findModel(const std::string &name) {
  for (const Model &model : knownModels)
    if (lower(name) == lower(model.name) || lower(name) == lower(model.shortName()))
      return model;
  if (std::filesystem::exists(name))
    return readConfig(name);
  std::string known;
  for (const Model &model : knownModels)
    known += ", " + model.name;
  throw Error("--models " + name + ": expected a config.json, a folder that holds one, or one of" +
              known.substr(1));
}
