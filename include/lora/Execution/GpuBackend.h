//===- GpuBackend.h - Kernels compiled and run on a device ----------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "lora/Compiler/Compiler.h"
#include "lora/Dispatch/DefaultConfig.h"
#include "lora/Problem/LoraProblem.h"
#include "lora/Runtime/Launcher.h"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lora {

/// The target that code for a compute capability, e.g. 90, is compiled for. Throws Error, which
/// lists the targets, if there is none.
std::string targetOf(int computeCapability);

/// A kernel compiled to a cubin and loaded on a device, with a device copy of each of its buffers.
/// The host buffers must outlive it and stay where they are.
class GpuExecution {
public:
  /// Gives the arguments of the kernel for the device addresses of its buffers.
  using MakeArguments = std::function<Arguments(const LoraProblem::Translate &)>;

  /// Compiles `source` (see Compilation; `name` stands for it in messages) and allocates the
  /// buffers. Throws Error if the kernel does not compile, does not load on the device, or the
  /// buffers do not fit.
  GpuExecution(const Device &device, std::string_view source, const std::string &name,
               const CompileOptions &options, std::span<HostBuffer> buffers,
               const MakeArguments &makeArguments);

  /// For the shipped kernel of the problem's op.
  GpuExecution(const Device &device, LoraProblem &problem, const Config &config,
               const std::string &target);

  /// Copies all buffers to the device, launches once, and copies all buffers back. Throws Error if
  /// the arguments do not fit the kernel, or the launch fails.
  void run();

  /// The median time of a launch in microseconds, over samples of launches that follow each other.
  /// Inputs stay in the caches as far as they fit; what an output accumulates is of no use after.
  double medianMicroseconds();

private:
  Stream stream;
  std::span<HostBuffer> host;
  /// Made before the arguments, since the kernel itself says best what is wrong with a
  /// configuration.
  Kernel kernel;
  std::vector<DeviceBuffer> copies;
  Arguments arguments;
};

} // namespace lora
