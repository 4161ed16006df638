//===- ProblemGrid.h - Problems from lists of sizes -----------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "lora/Models/Model.h"
#include "lora/Tuner/Problem.h"
#include "lora/Tuner/Space.h"

#include <cstdint>
#include <string>
#include <vector>

namespace lora::tuner {

/// "HIDDENxWIDTH" or "HIDDENxWIDTH+WIDTH+...", e.g. "4096x4096+1024+1024". Throws Error with the
/// text for anything else.
Projection parseShape(const std::string &text);

/// Every combination of these is a problem, for each kernel.
struct ProblemGrid {
  std::vector<std::string> models;
  /// In the form of parseShape.
  std::vector<std::string> shapes;
  std::vector<int64_t> tensorParallel = {1};
  /// Projections of the models: qkv, o, gate_up and down; empty for all.
  std::vector<std::string> modules;
  std::vector<int32_t> ranks = {16};
  std::vector<int32_t> adapters = {4};
  std::vector<int64_t> tokens = {1, 16, 64, 256, 1024, 4096};
  /// E.g. "f16" for activations and weights, or "f16/bf16".
  std::vector<std::string> types = {"f16"};
  bool addInputs = true;

  /// Each problem once, in an order in which any beginning is spread over all sizes. Throws Error,
  /// naming the option, if a model, module, shape or type is not known, or a size is out of range.
  std::vector<TuneProblem> problems(const std::vector<KernelSpace> &spaces) const;
};

} // namespace lora::tuner
