//===- Bitwise.h - Rows have the same bits in every batch and config -----===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "Cases.h"
#include "DeviceRunner.h"
#include "Kernels.h"

#include <cstdint>
#include <string>
#include <vector>

namespace lora::accuracy {

/// A problem whose output must have the same bits with every config, and whose rows must have them
/// in other batches too.
struct BitwiseCheck {
  Case base;
  /// The first is the default one.
  std::vector<Config> configs;
  /// Numbers of tokens of batches that hold rows of `base` among others, or some of them alone.
  /// They run with the default config for their size.
  std::vector<int64_t> otherBatches;

  /// All kernels that it runs.
  std::vector<KernelKey> kernels() const;
};

/// The shipped checks, or a few of them.
std::vector<BitwiseCheck> bitwiseChecks(bool quick);

/// Runs the check. Throws Error with the config or batch and the row that differs, or if a kernel
/// cannot be had or fails.
void runBitwiseCheck(const BitwiseCheck &check, KernelFolder &kernels, DeviceRunner &runner,
                     uint64_t seed);

} // namespace lora::accuracy
