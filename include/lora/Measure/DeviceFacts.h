//===- DeviceFacts.h - What bounds a measurement on a device --------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "lora/Measure/GraphTimer.h"
#include "lora/Runtime/Driver.h"

#include <cstddef>
#include <string>

namespace lora {

/// What a record of a measurement says about the device.
struct DeviceFacts {
  std::string name;
  /// What kernels are compiled for, e.g. "sm_90a".
  std::string arch;
  int multiprocessors = 0;
  /// The highest clock rates in MHz; 0 if the driver does not tell.
  int clockMhz = 0;
  int memoryClockMhz = 0;
  size_t l2Bytes = 0;
  size_t memoryBytes = 0;
  /// The CUDA version of the driver, e.g. "13.0".
  std::string driver;

  static DeviceFacts of(const Device &device);
};

/// Bytes read and written per second by a copy on the device of `bytes`, or of a quarter of the
/// free memory if that is less: the median of as many copies as the timer has replays. Throws Error
/// if a copy took no time.
double copyBandwidth(GraphTimer &timer, size_t bytes = 2'000'000'000);

} // namespace lora
