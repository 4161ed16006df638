//===- Block.h - One block that runs --------------------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "Launch.h"
#include "Mbarrier.h"
#include "Thread.h"

#include "llvm/ADT/SmallVector.h"

#include <map>

namespace lora::emulator {

class Cluster;

/// The threads of one block, its shared memory and its barriers.
class Block {
public:
  /// The block with this rank in `cluster`.
  Block(Cluster &cluster, Launch &launch, uint32_t rank);

  /// Puts every thread of the block with linear index `index` before its first instruction.
  void start(uint32_t index, Random &random);

  uint32_t index() const { return blockIndex; }
  const OpTable &ops() const { return launch.kernel.ops; }
  std::string describe(uint32_t block) const { return launch.describeBlock(block); }

  /// Waits until all lanes of the warp are at this op, and for a barrier all other participants.
  /// Does what the op does once they are.
  void gather(Thread &thread, uint32_t op, uint32_t barrierId = 0);

  llvm::MutableArrayRef<Thread> allThreads() { return {threads.get(), launch.kernel.blockThreads}; }
  bool hasLeft() const { return returned == launch.kernel.blockThreads; }

  /// Where each warp is.
  std::string describeWarps() const;

  // Who is to blame when no thread can run, or null.
  const Thread *findDivergence() const;
  const Thread *findBarrierWait();
  const Thread *findMbarrierWait();

  Cluster &cluster;
  Launch &launch;
  const uint32_t rank;
  SharedMemory shared;
  /// By their place in shared memory.
  std::map<uint32_t, Mbarrier> mbarriers;
  std::vector<Warp> warps;
  uint32_t returned = 0;

private:
  struct BarrierSlot {
    llvm::SmallVector<Warp *, warpSize> arrived;
    uint32_t threads = 0;
  };

  void start(Warp &warp, uint32_t lane);
  void complete(Warp &warp, uint32_t op, uint32_t barrierId);
  void arrive(Warp &warp, const OpInfo &op, uint32_t barrierId);
  void synchronise(llvm::ArrayRef<Warp *> participants);
  std::string describeLanes(const Warp &warp) const;
  std::string describeState(const Thread &thread) const;

  uint32_t blockIndex = 0;
  std::unique_ptr<Thread[]> threads;
  std::array<BarrierSlot, 16> barriers;
};

} // namespace lora::emulator
