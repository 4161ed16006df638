//===- ReportLine.h - What reports have in common -------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "lora/Tuner/DispatchTable.h"

#include <optional>
#include <string>
#include <vector>

namespace lora::tuner {

/// A tuned problem in a report: times in microseconds.
struct ReportLine {
  const TunedPoint *point;
  size_t best;
  double time, floor;
  std::optional<size_t> byDefault;
  /// The time of the default over the best.
  double overDefault = 0;
};

/// `bandwidth` is in bytes a second.
ReportLine lineOf(const TunedPoint &point, double bandwidth);

/// The bandwidth that a copy reached, in bytes a second, as the first session says; or a usual one.
double bandwidthOf(Database &database);

std::string number(double value, int digits = 2);

/// Whether a key contains each part.
bool matches(const std::string &key, const std::vector<std::string> &filter);

} // namespace lora::tuner
