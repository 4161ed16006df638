//===- Votes.h - Which configurations to compile --------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "lora/Tuner/CostModel.h"

#include <cstdint>
#include <vector>

namespace lora::tuner {

/// What the estimates of problems that share their kernels say of the configurations of these.
class Votes {
public:
  /// For configurations 0 to `configs` - 1.
  explicit Votes(size_t configs) : totals(configs, 0.0F) {}

  /// Adds a problem: `all` of what pruning left, or only the good ones.
  void add(const PrunedSpace &ranked, bool all);

  /// At most `most` of those that any problem favours, 0 for all of these; so that each problem has
  /// good ones, not only those that most problems are like. A quarter of them is drawn at random.
  std::vector<size_t> choose(size_t most, uint64_t seed) const;

private:
  struct Vote {
    size_t config;
    float weight;
  };

  std::vector<float> totals;
  std::vector<std::vector<Vote>> problems;
};

} // namespace lora::tuner
