//===- Report.h - What a database says, for people ------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "lora/Tuner/Database.h"
#include "lora/Tuner/DispatchTable.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lora::tuner {

struct ShowOptions {
  /// Only problems whose key contains each of these.
  std::vector<std::string> filter;
  /// "key", "us", "floor" (time over the least possible) or "default" (default over best).
  std::string sort = "key";
  /// 0 for all.
  size_t limit = 0;
  /// Whether configurations are written.
  bool configs = false;
  /// Whether to compare with the default of this version instead of that of the measurement.
  bool currentDefault = false;
};

/// A line for each tuned problem: the best time, how far it is from the bandwidth of the memory and
/// from the default configuration. With a last line that sums up. Throws Error if nothing matches.
std::string showDatabase(Database &database, const ShowOptions &options);

/// Runs, numbers of records, reasons of pruning and of failures.
std::string showSummary(Database &database);

/// For each tuned problem whose key contains all of `filter`: the configuration, from which
/// measurement, the runner-up, the default, the roofline, and what an exported rule chooses. If
/// there is none and `filter` is a whole key, what the rules choose for it, and the nearest tuned
/// problem. Throws Error if nothing matches.
std::string explainProblems(Database &database, const std::vector<std::string> &filter);

/// Repeats guided searches over the times of exhaustive ones, with `seeds` different seeds, and
/// says how much they lose and how many measurements they save. Throws Error if the database has no
/// exhaustive search.
std::string replaySearches(Database &database, size_t seeds);

/// Removes measurements that a newer one of the same round, problem and kernel replaces, and
/// kernels and failures that nothing refers to; returns what was removed.
std::string pruneDatabase(Database &database);

} // namespace lora::tuner
