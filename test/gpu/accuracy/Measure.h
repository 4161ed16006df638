//===- Measure.h - The error of what a kernel computes -------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "DeviceRunner.h"

#include <cstdint>
#include <string>
#include <vector>

namespace lora::accuracy {

/// Multiply-adds that the reference of a case may take, unless the least number of rows takes more.
constexpr int64_t kReferenceWork = int64_t(1) << 28;
constexpr int64_t kLeastRows = 16;

/// What came of running a case.
struct Outcome {
  /// Over the measured rows; see LoraProblem::Errors.
  double error = 0;
  /// Whether rows were left out of the measurement.
  bool sampled = false;
  /// Why the case failed, or nothing.
  std::string failure;
};

/// What an error must stay under.
double tolerance(const LoraShape &shape);

/// The tokens whose rows are compared with the reference: all that have an adapter, or as many as
/// kReferenceWork allows, drawn evenly from them in the order of their adapters.
std::vector<int64_t> measuredTokens(const LoraProblem &problem, uint64_t seed);

/// Runs the problem and looks at what it has left: nothing is written where it must not be,
/// everything is where it must, and the errors are under the tolerance.
Outcome measure(LoraProblem &problem, Kernel &kernel, DeviceRunner &runner, uint64_t seed);

} // namespace lora::accuracy
