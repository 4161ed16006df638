//===- Backend.h - Where kernels run --------------------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "lora/Execution/HostBackend.h"
#include "lora/Runtime/Driver.h"

#include <optional>
#include <string>

namespace lora {

/// The interpreter, the emulator or a GPU, and the target that kernels are compiled for.
class Backend {
public:
  /// `name` is "interpreter", "emulator" or "gpu"; empty for gpu where there is one, and else
  /// emulator. An empty `target` stands for that of the GPU, or for sm_90a on the host. Throws
  /// Error for any other name or target, and with the driver's reason if there is no GPU.
  static Backend create(const std::string &name, const std::string &target);

  /// "interpreter", "emulator", or "gpu" with the name of the device.
  std::string description() const;

  const std::string &target() const { return architecture; }

  /// Compiles the shipped kernel of the problem's op and runs it once over the problem's buffers.
  /// Returns the median time of a launch in microseconds where a clock means something: on a GPU.
  /// Throws Error if the kernel does not compile or the arguments do not fit it.
  std::optional<double> run(LoraProblem &problem, const Config &config) const;

private:
  std::optional<Device> device;
  HostBackend host = HostBackend::Emulator;
  std::string architecture;
};

} // namespace lora
