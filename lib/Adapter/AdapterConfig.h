//===- AdapterConfig.h - The adapter_config.json of a LoRA adapter -------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lora {

/// Whether `module` is the path `suffix` or ends with its components: "q_proj" ends
/// "layers.0.q_proj" but not "layers.0.eq_proj".
bool endsWithComponents(std::string_view module, std::string_view suffix);

struct AdapterConfig {
  /// Throws Error, see Adapter::load.
  static AdapterConfig load(const std::filesystem::path &path);

  /// The rank of a module, given by its full path.
  int64_t rankOf(std::string_view module) const;

  /// The factor of a module's product.
  double scalingOf(std::string_view module) const;

  /// Whether the config says that this module is adapted, as far as it says so.
  bool isTarget(std::string_view module) const;

  int64_t rank = 0;
  double alpha = 0;
  bool rankStabilised = false;
  /// Absent when the config gives one string, a regular expression.
  std::optional<std::vector<std::string>> targets;
  /// In the order of the file.
  std::vector<std::pair<std::string, int64_t>> rankPattern;
  std::vector<std::pair<std::string, double>> alphaPattern;
};

} // namespace lora
