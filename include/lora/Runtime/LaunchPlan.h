//===- LaunchPlan.h - What a launch of a kernel needs ---------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "lora/Runtime/Arguments.h"
#include "lora/Runtime/Manifest.h"
#include "lora/Support/Expression.h"

#include <array>
#include <cstdint>
#include <vector>

namespace lora {

/// A launch whose arguments were found to be complete and valid for its kernel.
struct LaunchPlan {
  /// Blocks in x, y and z.
  std::array<unsigned, 3> grid = {1, 1, 1};
  /// The bits of each argument in the order of the manifest, without the two hidden pointers.
  std::vector<uint64_t> values;
  /// Bytes of workspace and of counters; both zero for a kernel without a workspace.
  uint64_t workspaceBytes = 0;
  uint64_t counterBytes = 0;

  /// Whether a dimension of the grid is zero, so that there is nothing to launch.
  bool empty() const { return grid[0] == 0 || grid[1] == 0 || grid[2] == 0; }
};

/// Plans launches of one kernel. Parses the expressions of the manifest once.
class LaunchPlanner {
public:
  /// Throws Error if the manifest is not valid.
  explicit LaunchPlanner(KernelManifest manifest);

  const KernelManifest &manifest() const { return kernel; }

  /// Arguments that the kernel does not have are ignored, so that one set can serve the variants
  /// of a kernel. Throws Error, naming the kernel, if an argument is missing or of another type,
  /// an assumption does not hold, the grid is beyond what CUDA allows or is not a whole number of
  /// clusters or split groups, or the workspace is beyond 2^63 bytes.
  LaunchPlan plan(const Arguments &arguments) const;

private:
  KernelManifest kernel;
  std::vector<ArgumentType> types;
  std::array<Expression, 3> grid;
  std::vector<Expression> assumptions;
};

/// LaunchPlanner(manifest).plan(arguments), for a single launch.
LaunchPlan planLaunch(const KernelManifest &manifest, const Arguments &arguments);

} // namespace lora
