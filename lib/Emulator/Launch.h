//===- Launch.h - One run of a kernel over its grid -----------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "Memory.h"
#include "OpTable.h"

#include "llvm/ADT/DenseMap.h"

#include <limits>
#include <mutex>

namespace lora::emulator {

/// A compiled kernel. `code` owns the memory of `function`.
struct Kernel {
  enum class Parameter { Pointer, I32, I64, F32 };

  std::shared_ptr<void> code;
  KernelFunction function = nullptr;
  OpTable ops;
  std::vector<Parameter> parameters;
  uint32_t blockThreads = 0;
  uint32_t sharedBytes = 0;
  /// Blocks in a cluster, neighbours along x.
  uint32_t clusterBlocks = 1;
};

/// A small generator with the same numbers on every platform (Steele, Lea and Flood's splitmix64).
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}
  uint64_t next();
  /// A number in [0, bound).
  uint32_t below(uint32_t bound) { return static_cast<uint32_t>(next() % bound); }

  template <typename Range> void shuffle(Range &range) {
    for (size_t i = range.size(); i > 1; --i)
      std::swap(range[i - 1], range[below(static_cast<uint32_t>(i))]);
  }

private:
  uint64_t state;
};

/// What the blocks of one run share. Thread-safe.
class Launch {
public:
  Launch(const Kernel &kernel, llvm::ArrayRef<Buffer> buffers, void *const *arguments,
         const RunOptions &options);

  /// Runs every cluster. Fails with the first error in the order of the clusters.
  llvm::Error run();

  const Kernel &kernel;
  void *const *const arguments;
  const RunOptions &options;
  GlobalMemory memory;

  /// "block (x, y, z)".
  std::string describeBlock(uint32_t block) const;

  /// The cluster at `order` failed. The error of the first one wins: later ones stop, and earlier
  /// ones go on, so that which error is reported does not depend on timing.
  void fail(uint32_t order, std::string message);
  bool isInterrupted() const;
  /// Whether the cluster at `order` must stop.
  bool mustStop(uint32_t order) const {
    return order > failedOrder.load(std::memory_order_relaxed) || isInterrupted();
  }

  /// What each atomic location has released, by address; `atomics` guards it and the order of all
  /// atomic accesses.
  std::mutex atomics;
  llvm::DenseMap<uintptr_t, SharedClock> released;

  /// The number that the next mbarrier gets.
  std::atomic<uint32_t> nextMbarrier = 0;

private:
  void work();

  std::vector<uint32_t> clusters;
  std::atomic<uint32_t> nextOrder = 0;
  std::atomic<uint32_t> failedOrder = std::numeric_limits<uint32_t>::max();
  std::mutex failure;
  std::string failureMessage;
};

} // namespace lora::emulator
