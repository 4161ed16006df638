//===- Run.h - Shrink and expand over real adapters -----------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "lora/Support/DType.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lora {

/// What to run: shrink and then expand for a random batch of tokens, with the weights of adapters.
struct RunOptions {
  /// Directories as the PEFT library writes them, one for each adapter slot.
  std::vector<std::string> adapters;
  /// The modules that are the slices of the launch, and their layer: see AdapterStack::select.
  std::vector<std::string> modules;
  std::optional<int64_t> layer;
  /// Without it, as many as the file of the mapping has.
  std::optional<int64_t> tokens;
  /// "random", "sorted" or the path of a file: see Mapping.h.
  std::string mapping = "random";
  /// The fraction of the tokens without an adapter, for a random or sorted mapping; 0.1 without it.
  std::optional<double> without;
  uint64_t seed = 0;
  /// See Backend::create.
  std::string backend, target;
  DType xType = DType::F16;
  /// Without it, the type of the adapters where that is f16 or bf16 for all, and else xType.
  std::optional<DType> wType;
  /// Whether expand adds to y or overwrites it.
  bool addInputs = true;
  /// NAME=INTEGER: replaces a parameter of the default configuration.
  std::vector<std::string> setShrink, setExpand;
};

struct RunRow {
  std::string op;
  std::string shape;
  std::string config;
  /// The largest ||out - ref|| / ||ref|| of the rows with an adapter.
  double error = 0;
  /// Of one launch, where a clock means something.
  std::optional<double> microseconds;
};

struct RunReport {
  /// Lines that say what was run, and where.
  std::vector<std::string> summary;
  /// Shrink, expand given what shrink computed, and the two together.
  std::vector<RunRow> rows;
  double tolerance = 0;

  /// The summary and a table with aligned columns.
  std::string text() const;

  /// Throws Error with the op if an error is above the tolerance.
  void check() const;
};

/// Runs shrink and expand and compares their outputs with float64 references. Throws Error if an
/// adapter cannot be read or does not fit the others, an option has no meaning, a kernel does not
/// compile, or a kernel wrote where it must not, such as in the row of a token without an adapter.
RunReport runAdapters(const RunOptions &options);

} // namespace lora
