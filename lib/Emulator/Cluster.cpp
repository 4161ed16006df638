//===- Cluster.cpp - Threads of a cluster take turns ----------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cluster.h"

#include "lora/Support/Error.h"

#include <algorithm>

namespace lora::emulator {

Cluster::Cluster(Launch &launch)
    : launch(launch),
      stacks(static_cast<size_t>(launch.kernel.clusterBlocks) * launch.kernel.blockThreads) {
  for (uint32_t rank = 0; rank < launch.kernel.clusterBlocks; ++rank)
    blocks.emplace_back(*this, launch, rank);
}

size_t Cluster::stackIndex(const Thread &thread) const {
  return static_cast<size_t>(thread.block->rank) * launch.kernel.blockThreads + thread.index;
}

void Cluster::start(uint32_t index) {
  stopped = false;
  random = Random(launch.options.seed + Random(index).next());
  ready.clear();
  for (Block &block : blocks) {
    block.start(index * launch.kernel.clusterBlocks + block.rank, random);
    for (Warp &warp : block.warps)
      ready.push_back(&warp);
    for (Thread &thread : block.allThreads())
      runThread(thread);
  }
  barrier.start(static_cast<uint32_t>(ready.size()));
}

/// Gives `thread` a stack with the kernel on it.
void Cluster::runThread(Thread &thread) {
  auto body = [this, &thread](boost::context::fiber &&back) {
    schedulerStack = enterStack(nullptr);
    scheduler = std::move(back);
    launch.kernel.function(&thread, launch.arguments);
    finish(thread);
    leaveStack(schedulerStack, /*last=*/true);
    return std::move(scheduler);
  };
  thread.fiber = boost::context::fiber(std::allocator_arg, stacks.stack(stackIndex(thread)),
                                       Stacks::Allocator(), std::move(body));
}

void Cluster::run(uint32_t index, uint32_t order) {
  this->order = order;
  start(index);
  while (!ready.empty() && !stopped && !launch.mustStop(order)) {
    std::swap(ready[random.below(static_cast<uint32_t>(ready.size()))], ready.back());
    Warp &warp = *ready.back();
    ready.pop_back();
    runWarp(warp);
  }
  const bool complete = llvm::all_of(blocks, [](const Block &block) { return block.hasLeft(); });
  if (ready.empty() && !stopped && !complete)
    reportStuck();
  // A fiber that has not returned holds frames of compiled code, which cannot be unwound. None of
  // the frames owns anything, so that they are dropped as they are.
  for (Block &block : blocks)
    for (Thread &thread : block.allThreads())
      ::new (static_cast<void *>(&thread.fiber)) boost::context::fiber();
}

/// Runs each lane until it waits or returns.
void Cluster::runWarp(Warp &warp) {
  const uint32_t first = random.below(warpSize);
  for (uint32_t i = 0; i < warpSize && !stopped; ++i) {
    Thread &thread = warp.lanes[warp.order[(first + i) % warpSize]];
    if (thread.state == ThreadState::Runnable)
      resume(thread);
  }
}

void Cluster::resume(Thread &thread) {
  void *saved = leaveStack(stacks.bounds(stackIndex(thread)));
  thread.fiber = std::move(thread.fiber).resume();
  enterStack(saved);
}

void Cluster::suspend() {
  void *saved = leaveStack(schedulerStack);
  scheduler = std::move(scheduler).resume();
  enterStack(saved);
}

void Cluster::abandon() {
  stopped = true;
  suspend();
  __builtin_unreachable();
}

void Cluster::poll() {
  if (launch.mustStop(order))
    abandon();
}

void Cluster::makeReady(Warp &warp) {
  warp.waitingLanes = 0;
  for (Thread &thread : llvm::MutableArrayRef(warp.lanes, warpSize))
    thread.state = ThreadState::Runnable;
  ready.push_back(&warp);
}

void Cluster::makeReady(Thread &thread) {
  thread.state = ThreadState::Runnable;
  ready.push_back(thread.warp);
}

void Cluster::finish(Thread &thread) {
  if (!thread.copies.empty())
    fail(thread, thread.copies.front().op,
         "the thread returns without waiting for this asynchronous copy");
  thread.state = ThreadState::Returned;
  if (++thread.warp->returnedLanes == warpSize)
    for (Warp *passed : barrier.leave(*thread.warp))
      makeReady(*passed);
  ++thread.block->returned;
  if (thread.block->hasLeft()) {
    checkLeaves(*thread.block);
    checkMbarriers(*thread.block);
  }
}

void Cluster::record(const Thread &thread, uint32_t op, const std::string &message) {
  launch.fail(order, launch.kernel.ops[op].describe() + ", " +
                         launch.describeBlock(thread.block->index()) + ", thread " +
                         std::to_string(thread.index) + ": " + message);
}

void Cluster::fail(const Thread &thread, uint32_t op, const char *message) {
  record(thread, op, message);
  abandon();
}

} // namespace lora::emulator
