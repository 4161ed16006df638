//===- Launcher.h - Compiled kernels on a device --------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "lora/Runtime/Driver.h"
#include "lora/Runtime/LaunchPlan.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lora {

/// A compiled kernel on a device.
///
/// A kernel with a workspace has one, so its launches must not overlap: give them to one stream,
/// or order the streams. Not thread-safe.
class Kernel {
public:
  /// Throws Error, naming the kernel, its target and the device, if the manifest is not valid or
  /// the cubin does not load.
  Kernel(const Device &device, KernelManifest manifest, std::span<const std::byte> cubin);

  /// Reads the manifest and the cubin beside it: the same path with `.cubin` for `.json`.
  static Kernel load(const Device &device, const std::string &manifestPath);

  const KernelManifest &manifest() const { return planner.manifest(); }

  /// Makes the workspace large enough for launches with these arguments, if the kernel has one:
  /// allocates, and zeroes the counters in the order of the stream. To be called outside of the
  /// launch path and of graph capture, with the largest arguments to come; otherwise the first
  /// launch that needs more does it. A smaller workspace that it replaces lives as long as the
  /// kernel, since captured graphs may refer to it.
  void reserve(const Arguments &arguments, Stream &stream);

  /// Checks the arguments, as LaunchPlanner::plan does, and launches. An empty grid launches
  /// nothing. A programmatic launch may start before the kernel that precedes it has ended.
  void launch(const Arguments &arguments, Stream &stream, bool programmatic = false);

private:
  struct Workspace {
    DeviceBuffer data;
    DeviceBuffer counters;
  };

  void reserve(const LaunchPlan &plan, Stream &stream);

  Device device;
  LaunchPlanner planner;
  Function function;
  /// The last one is in use.
  std::vector<Workspace> workspaces;
};

} // namespace lora
