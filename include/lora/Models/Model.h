//===- Model.h - Shapes of the layers of models ---------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace lora {

/// A LoRA launch of a layer: its name, columns of x, and columns of each slice of y.
struct Projection {
  std::string name;
  int64_t hidden = 0;
  std::vector<int64_t> widths;

  bool operator==(const Projection &) const = default;
};

/// Sizes of a Llama-shaped model.
struct Model {
  std::string name;
  int64_t hidden = 0;
  int64_t intermediate = 0;
  int64_t heads = 0;
  int64_t kvHeads = 0;
  int64_t headDim = 0;

  /// The launches of a layer on one of `tp` GPUs: qkv, o, gate_up, down.
  ///
  /// Column-parallel layers (qkv, gate and up) split their outputs over the GPUs, row-parallel ones
  /// (o, down) their inputs. Key-value heads that are fewer than GPUs are replicated. Throws Error
  /// if the sizes cannot be divided.
  std::vector<Projection> projections(int64_t tp = 1) const;

  /// The name without the owner.
  std::string shortName() const;
};

/// Models that are known by name.
std::span<const Model> builtInModels();

/// A built-in model by its name, with or without the owner, or one with a Hugging Face config.json:
/// the path of that file, or of its folder. Throws Error with the file and the field.
Model findModel(const std::string &name);

} // namespace lora
