//===- Timing.cpp - Times of repeated work --------------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Measure/Timing.h"

#include "lora/Support/Error.h"

#include <algorithm>
#include <cmath>

using namespace lora;

/// The value at a position that counts from 1, between the two samples that it lies between.
static double valueAt(std::span<const double> sorted, double position) {
  position = std::clamp(position, 1.0, static_cast<double>(sorted.size()));
  auto below = static_cast<size_t>(position) - 1;
  size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], position - std::floor(position));
}

Timing Timing::of(std::span<const double> samples) {
  if (samples.empty())
    throw Error("timing: found no sample, expected at least one");
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  double quarter = static_cast<double>(sorted.size() + 1) / 4;
  return {valueAt(sorted, 2 * quarter), valueAt(sorted, quarter), valueAt(sorted, 3 * quarter)};
}
