//===- AdapterConfig.cpp - The adapter_config.json of a LoRA adapter -----===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AdapterConfig.h"

#include "MappedFile.h"
#include "Text.h"
#include "lora/Support/Error.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

using namespace lora;

// The order of keys matters in the patterns: the first that matches wins.
using Json = nlohmann::ordered_json;

namespace {

/// Far above any real config, and small enough that a tree of it is harmless.
constexpr size_t maxConfigBytes = 1 << 20;

/// Fields that, unless empty, make the layer compute something else than scaling * B * A.
constexpr const char *unsupportedFields[] = {
    "use_dora",     "modules_to_save",   "fan_in_fan_out",
    "lora_bias",    "layer_replication", "trainable_token_indices",
    "use_qalora",   "target_parameters", "alora_invocation_tokens",
    "use_bdlora",   "kasa_config",       "monteclora_config",
    "arrow_config",
};

class ConfigReader {
public:
  explicit ConfigReader(const std::filesystem::path &path) : file(path) {
    const auto bytes = file.bytes();
    if (bytes.size() > maxConfigBytes)
      throw Error(file.path() + ": found " + std::to_string(bytes.size()) +
                  " bytes, expected at most " + std::to_string(maxConfigBytes));
    const auto *text = reinterpret_cast<const char *>(bytes.data());
    try {
      root = Json::parse(text, text + bytes.size());
    } catch (const Json::parse_error &error) {
      throw Error(file.path() + ": malformed JSON at byte " + std::to_string(error.byte) +
                  ", expected an object");
    } catch (const Json::exception &) {
      // Such as a number that no double can hold.
      throw Error(file.path() + ": found JSON with a value out of range, expected an object");
    }
    if (!root.is_object())
      throw Error(file.path() + ": found " + show(root) + ", expected an object");
  }

  AdapterConfig read() const {
    const Json &type = field("peft_type", "'LORA'");
    if (type != "LORA")
      fail("peft_type", show(type), "'LORA'");
    for (const char *name : unsupportedFields)
      refuseUnlessEmpty(name);
    if (root.contains("bias") && root["bias"] != "none")
      fail("bias", show(root["bias"]), "'none'");

    AdapterConfig config;
    config.rank = positiveInteger("r", field("r", "a positive integer"));
    config.alpha = finiteNumber("lora_alpha", field("lora_alpha", "a number"));
    config.rankStabilised = flag("use_rslora");
    config.targets = targetModules();
    for (const auto &[key, value] : pattern("rank_pattern"))
      config.rankPattern.emplace_back(key, positiveInteger("rank_pattern." + key, value));
    for (const auto &[key, value] : pattern("alpha_pattern"))
      config.alphaPattern.emplace_back(key, finiteNumber("alpha_pattern." + key, value));
    return config;
  }

private:
  MappedFile file;
  Json root;

  static std::string show(const Json &value) {
    if (value.is_string())
      return inQuotes(value.get_ref<const std::string &>());
    if (value.is_object())
      return "an object";
    if (value.is_array())
      return "a list of " + std::to_string(value.size());
    return value.dump();
  }

  [[noreturn]] void fail(const std::string &name, const std::string &found,
                         const std::string &expected) const {
    throw Error(file.path() + ": field " + inQuotes(name) + ": found " + found + ", expected " +
                expected);
  }

  const Json &field(const char *name, const char *expected) const {
    const auto found = root.find(name);
    if (found == root.end())
      fail(name, "nothing", expected);
    return *found;
  }

  void refuseUnlessEmpty(const char *name) const {
    const auto found = root.find(name);
    if (found == root.end() || *found == false || found->empty())
      return;
    fail(name, show(*found), "nothing there: this feature of PEFT is not supported");
  }

  int64_t positiveInteger(const std::string &name, const Json &value) const {
    constexpr uint64_t limit = std::numeric_limits<int64_t>::max();
    if (!value.is_number_unsigned() || value == 0 || value.get<uint64_t>() > limit)
      fail(name, show(value), "a positive integer");
    return value.get<int64_t>();
  }

  double finiteNumber(const std::string &name, const Json &value) const {
    if (!value.is_number())
      fail(name, show(value), "a number");
    return value.get<double>();
  }

  bool flag(const char *name) const {
    const auto found = root.find(name);
    if (found == root.end() || found->is_null())
      return false;
    if (!found->is_boolean())
      fail(name, show(*found), "true or false");
    return found->get<bool>();
  }

  std::optional<std::vector<std::string>> targetModules() const {
    const char *expected = "a list of module names or a string";
    const Json &value = field("target_modules", expected);
    if (value.is_string())
      return std::nullopt;
    if (!value.is_array())
      fail("target_modules", show(value), expected);
    std::vector<std::string> names;
    for (const Json &name : value) {
      if (!name.is_string())
        fail("target_modules", show(name) + " in the list", expected);
      names.push_back(name);
    }
    return names;
  }

  /// The pairs of a pattern field, after checking that its keys are paths, not general expressions.
  std::vector<std::pair<std::string, Json>> pattern(const char *name) const {
    const auto found = root.find(name);
    if (found == root.end() || found->is_null())
      return {};
    if (!found->is_object())
      fail(name, show(*found), "an object");
    std::vector<std::pair<std::string, Json>> pairs;
    for (const auto &[key, value] : found->items()) {
      if (key.find_first_of("\\*+?()[]{}|$") != std::string::npos || key.rfind('^') + 1 > 1)
        fail(name, "the regular expression " + inQuotes(key),
             "a module's path, the end of one, or ^ and a full path");
      pairs.emplace_back(key, value);
    }
    return pairs;
  }
};

/// The value of the first key that matches, as in PEFT, or `otherwise`.
template <typename Value>
Value lookUp(const std::vector<std::pair<std::string, Value>> &pattern, std::string_view module,
             Value otherwise) {
  for (const auto &[key, value] : pattern) {
    const bool matches = key.starts_with('^') ? module == std::string_view(key).substr(1)
                                              : endsWithComponents(module, key);
    if (matches)
      return value;
  }
  return otherwise;
}

} // namespace

bool lora::endsWithComponents(std::string_view module, std::string_view suffix) {
  if (!module.ends_with(suffix))
    return false;
  return module.size() == suffix.size() || module[module.size() - suffix.size() - 1] == '.';
}

AdapterConfig AdapterConfig::load(const std::filesystem::path &path) {
  return ConfigReader(path).read();
}

int64_t AdapterConfig::rankOf(std::string_view module) const {
  return lookUp(rankPattern, module, rank);
}

double AdapterConfig::scalingOf(std::string_view module) const {
  const auto moduleRank = static_cast<double>(rankOf(module));
  return lookUp(alphaPattern, module, alpha) /
         (rankStabilised ? std::sqrt(moduleRank) : moduleRank);
}

bool AdapterConfig::isTarget(std::string_view module) const {
  return !targets || std::any_of(targets->begin(), targets->end(), [&](const std::string &target) {
    return endsWithComponents(module, target);
  });
}
