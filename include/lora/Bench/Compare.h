//===- Compare.h - What changed between two runs --------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include <nlohmann/json_fwd.hpp>

#include <span>
#include <string>
#include <vector>

namespace lora {

/// What became of the results of a run in a later one.
struct Comparison {
  /// A line for each result that is slower, faster, failing or gone.
  std::vector<std::string> changes;
  /// How many of these are not "faster".
  size_t regressions = 0;
  /// The results that were compared.
  size_t compared = 0;
};

/// Compares the results that were timed in `before`, in the rows that both documents have. A time
/// counts as changed if it did so by more than `tolerance`, a fraction, and by more than the sum of
/// both spreads, each half of the range between the quartiles. Only the given implementations are
/// looked at, or, if there are none, those of lora-tile.
Comparison compareDocuments(const nlohmann::ordered_json &before,
                            const nlohmann::ordered_json &after, double tolerance,
                            std::span<const std::string> impls);

} // namespace lora
