//===- DeviceRunner.h - Problems run on a device -------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "lora/Problem/LoraProblem.h"
#include "lora/Runtime/Launcher.h"

#include <span>
#include <vector>

namespace lora::accuracy {

/// Runs problems whose data may lie in a pool, of which the device gets one copy for all of them.
class DeviceRunner {
public:
  /// The buffers of the pool, which may be none, must outlive the runner.
  DeviceRunner(const Device &device, std::span<const HostBuffer> pool);

  /// Copies the buffers of the problem to the device, the output as it is, launches once, and
  /// copies the output back. Throws Error if the arguments do not fit the kernel or the device
  /// reports an error.
  void run(LoraProblem &problem, Kernel &kernel);

private:
  Device device;
  Stream stream;
  std::span<const HostBuffer> pool;
  std::vector<DeviceBuffer> poolCopies;
};

} // namespace lora::accuracy
