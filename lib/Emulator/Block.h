//===- Block.h - Runs the threads of one block ----------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "Launch.h"
#include "Stacks.h"

#include "llvm/ADT/SmallVector.h"

namespace lora::emulator {

/// Runs blocks of a launch one after the other on the calling operating system thread. Each CUDA
/// thread has its own stack; one runs until it waits for others or returns, then another does.
class Block {
public:
  explicit Block(Launch &launch);

  /// Runs the block with linear index `index`, which comes at `order` in the launch. Errors go to
  /// the launch.
  void run(uint32_t index, uint32_t order);

  uint32_t index() const { return blockIndex; }
  const OpTable &ops() const { return launch.kernel.ops; }
  std::string describe(uint32_t block) const { return launch.describeBlock(block); }

  // What a running thread calls.

  /// Waits until all lanes of the warp are at this op, and for a barrier all other participants.
  /// Does what the op does once they are.
  void gather(Thread &thread, uint32_t op, uint32_t barrierId = 0);

  /// Returns only when the run may go on.
  void poll(Thread &thread);

  /// Records an error of `thread` and never returns.
  [[noreturn]] void fail(Thread &thread, uint32_t op, const char *message);

  Launch &launch;
  SharedMemory shared;

private:
  struct BarrierSlot {
    llvm::SmallVector<Warp *, warpSize> arrived;
    uint32_t threads = 0;
  };

  void start();
  void start(Warp &warp, uint32_t lane);
  void runWarp(Warp &warp);
  void resume(Thread &thread);
  void suspend();
  [[noreturn]] void abandon();
  void finish(Thread &thread);
  void record(const Thread &thread, uint32_t op, const std::string &message);

  void complete(Warp &warp, uint32_t op, uint32_t barrierId);
  void arrive(Warp &warp, const OpInfo &op, uint32_t barrierId);
  void synchronise(llvm::ArrayRef<Warp *> participants);
  void release(Warp &warp);

  void reportStuck();
  std::string describeWarps() const;
  std::string describeLanes(const Warp &warp) const;
  std::string describeState(const Thread &thread) const;

  uint32_t blockIndex = 0;
  uint32_t blockOrder = 0;
  bool stopped = false;
  Random random{0};
  std::unique_ptr<Thread[]> threads;
  std::vector<Warp> warps;
  std::vector<Warp *> ready;
  std::array<BarrierSlot, 16> barriers;
  uint32_t returned = 0;
  Stacks stacks;
  /// The scheduler while a thread runs.
  boost::context::fiber scheduler;
  StackBounds schedulerStack;
};

} // namespace lora::emulator
