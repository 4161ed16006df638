//===- Models.h - The LoRA launches of well-known models ------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lora::tuner {

/// One LoRA launch of a layer.
struct Projection {
  /// "qkv", "o", "gate_up" or "down".
  std::string name;
  int64_t hidden = 0;
  /// Columns of each slice of the output.
  std::vector<int32_t> widths;
};

/// The sizes of a Llama-shaped model.
struct Model {
  std::string name;
  int64_t hidden = 0, intermediate = 0, heads = 0, keyValueHeads = 0, headSize = 0;

  /// The launches on one of `tensorParallel` GPUs: qkv, gate and up split their outputs over the
  /// GPUs, o and down their inputs; key-value heads that are fewer than GPUs are replicated.
  /// Throws Error if the sizes cannot be divided.
  std::vector<Projection> projections(int64_t tensorParallel) const;
};

/// A built-in model by its name, with or without the owner, or one from a Hugging Face config.json
/// or the folder that holds one. Throws Error, which lists the names, for anything else.
Model findModel(const std::string &name);

/// "HIDDENxWIDTH" or "HIDDENxWIDTH+WIDTH+...", e.g. "4096x4096+1024+1024". Throws Error with the
/// text for anything else.
Projection parseShape(const std::string &text);

} // namespace lora::tuner
