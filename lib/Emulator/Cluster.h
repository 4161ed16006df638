//===- Cluster.h - Runs the blocks of one cluster -------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "Block.h"
#include "ClusterBarrier.h"
#include "Stacks.h"

#include <deque>

namespace lora::emulator {

/// Runs clusters of a launch one after the other on the calling operating system thread; a kernel
/// without `simt.cluster` has clusters of one block. Each CUDA thread has its own stack; one runs
/// until it waits for others or returns, then another does, of the same block or not.
class Cluster {
public:
  explicit Cluster(Launch &launch);

  /// Runs the blocks of the cluster with linear index `index`, which comes at `order` in the
  /// launch. Errors go to the launch.
  void run(uint32_t index, uint32_t order);

  // What a running thread calls.

  /// Returns only when the run may go on.
  void poll();

  /// Lets others run until the warp of the caller is ready again.
  void suspend();

  /// Records an error of `thread` and never returns.
  [[noreturn]] void fail(const Thread &thread, uint32_t op, const char *message);

  /// The warp waits no longer.
  void makeReady(Warp &warp);

  /// The thread waits no longer, whatever the other lanes of its warp do.
  void makeReady(Thread &thread);

  /// The address of simt.peer: the rank of the block above an offset of 32 bits.
  uintptr_t peerAddress(uintptr_t offset, uint32_t rank) const;

  /// A block of the cluster, and an offset into its shared memory.
  struct PeerPlace {
    Block &block;
    uintptr_t offset;
  };

  /// What such an address means to `thread`. Throws Error when that block might not have started or
  /// has left.
  PeerPlace resolvePeer(const Thread &thread, uintptr_t address);

  /// Finds what `thread` accesses with such an address. Throws Error as resolvePeer and
  /// SharedMemory::find. That the block might have left is found when it does.
  Location findPeer(Thread &thread, uint32_t op, uintptr_t address, uint32_t width);

  ClusterBarrier barrier;

private:
  void start(uint32_t index);
  void runWarp(Warp &warp);
  void resume(Thread &thread);
  void runThread(Thread &thread);
  [[noreturn]] void abandon();
  void finish(Thread &thread);
  void checkLeaves(Block &block);
  void checkMbarriers(Block &block);
  size_t stackIndex(const Thread &thread) const;
  void record(const Thread &thread, uint32_t op, const std::string &message);
  void reportStuck();
  std::string describeBlocks() const;

  Launch &launch;
  std::deque<Block> blocks;
  uint32_t order = 0;
  bool stopped = false;
  Random random{0};
  std::vector<Warp *> ready;
  Stacks stacks;
  /// The scheduler while a thread runs.
  boost::context::fiber scheduler;
  StackBounds schedulerStack;
};

} // namespace lora::emulator
