//===- Adapter.cpp - A LoRA adapter as the PEFT library saves it ---------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Adapter/Adapter.h"

#include "AdapterConfig.h"
#include "Text.h"
#include "lora/Support/Error.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <tuple>

using namespace lora;

namespace {

constexpr std::string_view namePrefix = "base_model.model.";
constexpr std::string_view aSuffix = ".lora_A.weight";
constexpr std::string_view bSuffix = ".lora_B.weight";

struct TensorPair {
  const StoredTensor *a = nullptr;
  const StoredTensor *b = nullptr;
};

std::optional<int64_t> layerOf(std::string_view module) {
  while (!module.empty()) {
    const size_t length = std::min(module.find('.'), module.size());
    int64_t layer;
    const char *end = module.data() + length;
    const auto parsed = std::from_chars(module.data(), end, layer);
    if (parsed.ec == std::errc() && parsed.ptr == end && layer >= 0)
      return layer;
    module.remove_prefix(std::min(length + 1, module.size()));
  }
  return std::nullopt;
}

class ModuleReader {
public:
  ModuleReader(const std::filesystem::path &path, const AdapterConfig &config)
      : path(path), config(config), file(Safetensors::open(path)) {}

  std::vector<AdapterModule> read() const {
    std::vector<AdapterModule> modules;
    for (const auto &[name, pair] : pairTensors())
      modules.push_back(makeModule(name, pair));
    if (modules.empty())
      throw Error(path.string() + ": found no tensors, expected lora_A and lora_B weights");
    return modules;
  }

private:
  const std::filesystem::path &path;
  const AdapterConfig &config;
  Safetensors file;

  [[noreturn]] void fail(std::string_view tensor, const std::string &found,
                         const std::string &expected) const {
    throw Error(path.string() + ": tensor " + inQuotes(tensor) + ": found " + found +
                ", expected " + expected);
  }

  std::map<std::string, TensorPair> pairTensors() const {
    std::map<std::string, TensorPair> pairs;
    for (const StoredTensor &tensor : file.tensors()) {
      std::string_view name = tensor.name;
      const bool isA = name.ends_with(aSuffix);
      if (!name.starts_with(namePrefix) || (!isA && !name.ends_with(bSuffix)) ||
          name.size() <= namePrefix.size() + aSuffix.size())
        fail(name, "this name", "base_model.model.<module>.lora_A.weight or .lora_B.weight");
      name.remove_prefix(namePrefix.size());
      name.remove_suffix(aSuffix.size());
      TensorPair &pair = pairs[std::string(name)];
      (isA ? pair.a : pair.b) = &tensor;
    }
    return pairs;
  }

  void checkType(const StoredTensor &tensor) const {
    if (!tensor.type)
      fail(tensor.name, "type " + tensor.typeName, "F16, BF16 or F32");
  }

  AdapterModule makeModule(const std::string &name, const TensorPair &pair) const {
    if (!pair.a)
      fail(pair.b->name, "no lora_A beside it", "one");
    if (!pair.b)
      fail(pair.a->name, "no lora_B beside it", "one");
    if (!config.isTarget(name))
      fail(pair.a->name, "a module that target_modules in adapter_config.json does not name",
           "only named ones");
    const StoredTensor &a = *pair.a;
    const StoredTensor &b = *pair.b;
    checkType(a);
    checkType(b);
    const int64_t rank = config.rankOf(name);
    const std::string rankText = std::to_string(rank);
    if (a.shape.size() != 2 || a.shape[0] != rank || a.shape[1] == 0)
      fail(a.name, "shape " + shapeText(a.shape),
           "[" + rankText + ", in features] by the rank in adapter_config.json");
    if (b.shape.size() != 2 || b.shape[1] != rank || b.shape[0] == 0)
      fail(b.name, "shape " + shapeText(b.shape),
           "[out features, " + rankText + "] by the rank in adapter_config.json");
    return {name, layerOf(name), rank, a.shape[1], b.shape[0], config.scalingOf(name), a, b};
  }
};

std::string describe(std::string_view suffix, std::optional<int64_t> layer) {
  return "module " + inQuotes(suffix) + (layer ? " of layer " + std::to_string(*layer) : "");
}

std::string featuresText(const AdapterModule &module) {
  return std::to_string(module.inFeatures) + " in and " + std::to_string(module.outFeatures) +
         " out features";
}

} // namespace

Adapter Adapter::load(const std::filesystem::path &directory) {
  const AdapterConfig config = AdapterConfig::load(directory / "adapter_config.json");
  Adapter adapter;
  adapter.path = directory;
  adapter.all = ModuleReader(directory / "adapter_model.safetensors", config).read();
  std::sort(adapter.all.begin(), adapter.all.end(),
            [](const AdapterModule &a, const AdapterModule &b) {
              return std::tie(a.layer, a.name) < std::tie(b.layer, b.name);
            });
  return adapter;
}

const AdapterModule *Adapter::find(std::string_view suffix, std::optional<int64_t> layer) const {
  const AdapterModule *found = nullptr;
  for (const AdapterModule &module : all) {
    if (!endsWithComponents(module.name, suffix) || (layer && module.layer != layer))
      continue;
    if (found)
      throw Error(path.string() + ": " + describe(suffix, layer) + ": found " +
                  inQuotes(found->name) + " and " + inQuotes(module.name) + ", expected one");
    found = &module;
  }
  return found;
}

const AdapterModule &Adapter::get(std::string_view suffix, std::optional<int64_t> layer) const {
  if (const AdapterModule *module = find(suffix, layer))
    return *module;
  throw Error(path.string() + ": " + describe(suffix, layer) + ": found none among " +
              std::to_string(all.size()) + " modules, such as " + inQuotes(all.front().name) +
              ", expected one");
}

std::vector<const AdapterModule *> lora::compatibleModules(std::span<const Adapter> adapters,
                                                           std::string_view suffix,
                                                           std::optional<int64_t> layer) {
  std::vector<const AdapterModule *> modules;
  for (const Adapter &adapter : adapters) {
    const AdapterModule &module = adapter.get(suffix, layer);
    modules.push_back(&module);
    const AdapterModule &first = *modules.front();
    if (module.inFeatures != first.inFeatures || module.outFeatures != first.outFeatures)
      throw Error(adapter.directory().string() + ": module " + inQuotes(module.name) + ": found " +
                  featuresText(module) + ", expected " + featuresText(first) + " as in " +
                  adapters.front().directory().string());
  }
  return modules;
}
