//===- Meter.h - Checks and times of candidates ---------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "lora/Measure/Timing.h"
#include "lora/Tuner/Bundle.h"
#include "lora/Tuner/CostModel.h"
#include "lora/Tuner/Database.h"
#include "lora/Tuner/Problem.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace lora::tuner {

/// Where candidates are checked and timed, one problem after the other.
class Meter {
public:
  virtual ~Meter() = default;

  /// Fills in what the record of a session says of the device and the clock.
  virtual void describe(SessionRecord &session) const = 0;

  /// What estimates need to know.
  virtual GpuFacts facts() const = 0;

  /// Throws Error if kernels for this target cannot be measured.
  virtual void requireTarget(const std::string &target) const = 0;

  /// Prepares for a problem. Throws Error if its data do not fit in memory.
  virtual void begin(const TuneProblem &problem) = 0;

  struct Check {
    /// ||out - ref|| / ||ref||; 0 if nothing is computed.
    double error = 0;
    /// Why the result is wrong, or nothing.
    std::string failure;
  };

  /// Runs a kernel once on inputs that the seed decides, into an output of values that it must
  /// replace, and compares rows with float64. Throws Error if it does not launch.
  virtual Check check(const BundleKernel &kernel, uint64_t seed) = 0;

  /// Times kernels in turns, so that a change of the clocks hits all of them. Throws Error if one
  /// does not launch.
  virtual std::vector<Timing> time(std::span<const BundleKernel *const> kernels,
                                   unsigned replays) = 0;

  /// Throws Error if nothing can be launched any more, as after a kernel that has accessed what it
  /// may not.
  virtual void requireWorking() {}

  /// Samples of a time that `replays` make.
  virtual unsigned samples(unsigned replays) const { return replays; }
};

/// The GPU with this number. Throws Error if there is none.
std::unique_ptr<Meter> makeGpuMeter(int device, bool programmatic);

/// No device at all: the estimates of the cost model in the place of times, for trying out the
/// tuner and for its tests. What is measured with it says so: its clock is "model".
std::unique_ptr<Meter> makeModelMeter();

} // namespace lora::tuner
