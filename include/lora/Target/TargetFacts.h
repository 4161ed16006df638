//===- TargetFacts.h - What the compiler knows about each GPU ------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include <span>
#include <string_view>

namespace lora {

/// Facts about one GPU architecture, from the CUDA C++ Programming Guide's table of compute
/// capabilities.
struct TargetFacts {
  std::string_view name;        ///< As ptxas knows it, e.g. "sm_90a".
  unsigned ptxVersion;          ///< PTX ISA that is emitted, times ten.
  unsigned sharedBytesPerBlock; ///< The most that a block may ask for.
  unsigned sharedBytesPerSM;
  unsigned threadsPerSM;
  unsigned blocksPerSM;
  /// The most blocks of a cluster, beyond 8 as far as a kernel asks for it; 1 where there are none.
  unsigned clusterBlocks;

  static constexpr unsigned kRegistersPerSM = 65536;
  static constexpr unsigned kRegistersPerThread = 255;
  /// Shared memory that the driver takes for itself in each block.
  static constexpr unsigned kReservedSharedBytes = 1024;

  bool hasClusters() const { return clusterBlocks > 1; }

  /// Blocks that fit on one multiprocessor at a time; 0 if one does not.
  unsigned occupancy(unsigned threads, unsigned registers, unsigned sharedBytes) const;
};

/// All targets.
std::span<const TargetFacts> allTargets();

/// Throws Error, which lists the known names, for any other.
const TargetFacts &findTarget(std::string_view name);

} // namespace lora
