//===- Kernel.h - A kernel of a pack, loaded when first used ------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "Session.h"
#include "Slots.h"
#include "lora/Pack/Pack.h"
#include "lora/Support/Expression.h"

#include <array>
#include <atomic>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace lora::api {

/// A launch whose values were found to be valid for its kernel.
struct Plan {
  std::array<unsigned, 3> grid = {1, 1, 1};
  uint64_t workspaceBytes = 0;
  uint64_t counterBytes = 0;

  bool empty() const { return grid[0] == 0 || grid[1] == 0 || grid[2] == 0; }
};

/// Thread-safe.
class Kernel {
public:
  /// The pack keeps the entry. Throws Error if an argument is none of kSlots, or the kernel reads
  /// row blocks of a size that there is no table for.
  Kernel(const Session &session, const Pack &pack, const PackKernel &entry);
  /// Unloads it. The context must be current.
  ~Kernel();

  const PackKernel &entry() const { return source; }
  const KernelManifest &manifest() const { return source.manifest; }
  /// A value of the configuration, or `otherwise` if it has none of this name.
  int64_t config(const std::string &name, int64_t otherwise) const;

  /// The place in kRowBlockSizes of the BLOCK_M of a kernel that reads row blocks.
  std::optional<size_t> rowBlockTable() const { return table; }

  /// Allocates nothing. Throws StatusError if an assumption of the kernel does not hold or the grid
  /// is beyond what CUDA allows.
  Plan plan(const Values &values) const;

  /// Verifies and loads the code if that has not been done. The context must be current.
  void load();

  /// Launches a plan that is not empty. `workspace` and `counters` are ignored by kernels that use
  /// none. Allocates nothing once loaded. The context must be current.
  void launch(const Plan &plan, const Values &values, cuda::DevicePointer workspace,
              cuda::DevicePointer counters, bool programmatic, void *stream);

private:
  cuda::FunctionHandle loadLocked();
  void allow(cuda::FunctionHandle function) const;
  size_t findRowBlockTable() const;

  const Session &session;
  const Pack pack;
  const PackKernel &source;
  std::vector<size_t> arguments;
  std::optional<size_t> table;
  std::array<Expression, 3> grid;
  std::vector<Expression> assumptions;

  std::mutex mutex;
  cuda::ModuleHandle module = nullptr;
  std::atomic<cuda::FunctionHandle> function = nullptr;
};

} // namespace lora::api
