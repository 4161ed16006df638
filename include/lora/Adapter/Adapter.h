//===- Adapter.h - A LoRA adapter as the PEFT library saves it -----------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "lora/Adapter/Safetensors.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lora {

/// One adapted linear layer: y += scaling * (x * Aᵀ) * Bᵀ.
struct AdapterModule {
  /// Path in the base model, e.g. "model.layers.0.self_attn.q_proj".
  std::string name;
  /// The first component of the path that is a number, if there is one.
  std::optional<int64_t> layer;
  int64_t rank = 0;
  int64_t inFeatures = 0;
  int64_t outFeatures = 0;
  /// alpha / rank, or alpha / sqrt(rank) for rank-stabilised adapters.
  double scaling = 0;
  /// [rank, inFeatures]
  StoredTensor a;
  /// [outFeatures, rank]
  StoredTensor b;
};

/// The modules of one adapter directory. Immutable, so that threads may share it; the tensors stay
/// valid beyond the adapter's life.
class Adapter {
public:
  /// Reads `adapter_config.json` and `adapter_model.safetensors` in `directory`.
  ///
  /// Throws Error, with the file, the field or tensor, what was found and what was expected, when a
  /// file is missing or malformed, when the two disagree, or when the adapter uses something that
  /// is more than the product of A and B (DoRA, biases, saved modules, transposed weights, ...).
  /// Keys of `rank_pattern` and `alpha_pattern` are regular expressions to PEFT; here they are a
  /// module's path, or whole components at its end, or the full path after a `^`, and the first key
  /// that matches wins as in PEFT. `target_modules` given as a list is checked against the tensors;
  /// given as a string, the tensors alone say which modules are adapted.
  static Adapter load(const std::filesystem::path &directory);

  const std::filesystem::path &directory() const { return path; }

  /// Sorted by layer, then by name; modules outside any layer come first.
  const std::vector<AdapterModule> &modules() const { return all; }

  /// The module whose path is or ends with the components `suffix`, e.g. "q_proj" or
  /// "self_attn.q_proj", in layer `layer` if that is given; null when there is none. The adapter
  /// owns it. Throws Error when several match.
  const AdapterModule *find(std::string_view suffix, std::optional<int64_t> layer = {}) const;

  /// As find, but throws Error when there is none.
  const AdapterModule &get(std::string_view suffix, std::optional<int64_t> layer = {}) const;

private:
  std::filesystem::path path;
  std::vector<AdapterModule> all;
};

/// The module that `suffix` and `layer` select (see Adapter::find) in each adapter, in order, after
/// checking that they can be stacked: all have the same inFeatures and outFeatures. Ranks, scalings
/// and types may differ. The adapters own the modules. Throws Error with the adapter's directory,
/// the module, what was found and what was expected.
std::vector<const AdapterModule *> compatibleModules(std::span<const Adapter> adapters,
                                                     std::string_view suffix,
                                                     std::optional<int64_t> layer = {});

} // namespace lora
