//===- Scheduler.cpp - Threads of a block take turns ----------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Block.h"

#include <algorithm>
#include <numeric>

namespace lora::emulator {

Block::Block(Launch &launch)
    : launch(launch), shared(launch.kernel.sharedBytes),
      threads(std::make_unique<Thread[]>(launch.kernel.blockThreads)),
      warps(launch.kernel.blockThreads / warpSize), stacks(launch.kernel.blockThreads) {}

/// Puts every thread before its first instruction.
void Block::start() {
  stopped = false;
  returned = 0;
  random = Random(launch.options.seed + Random(blockIndex).next());
  shared.reset();
  for (BarrierSlot &barrier : barriers)
    barrier = BarrierSlot();
  ready.clear();
  for (Warp &warp : warps) {
    warp.index = static_cast<uint32_t>(&warp - warps.data());
    warp.lanes = &threads[warp.index * warpSize];
    std::iota(warp.order.begin(), warp.order.end(), 0);
    random.shuffle(warp.order);
    warp.waitingLanes = 0;
    warp.seen.assign(warps.size(), 0);
    warp.known.reset();
    for (uint32_t lane = 0; lane < warpSize; ++lane)
      start(warp, lane);
    ready.push_back(&warp);
  }
}

void Block::start(Warp &warp, uint32_t lane) {
  Thread &thread = warp.lanes[lane];
  thread.block = this;
  thread.warp = &warp;
  thread.lane = lane;
  thread.index = warp.index * warpSize + lane;
  const auto &[gridX, gridY, gridZ] = launch.options.grid;
  const std::array<std::array<uint32_t, 3>, 4> triples = {{
      {thread.index, 0, 0},
      {launch.kernel.blockThreads, 1, 1},
      {blockIndex % gridX, blockIndex / gridX % gridY, blockIndex / gridX / gridY},
      {gridX, gridY, gridZ},
  }};
  uint32_t *next = thread.registers.data();
  for (const auto &triple : triples)
    next = std::copy(triple.begin(), triple.end(), next);
  *next = lane;
  thread.state = ThreadState::Runnable;
  thread.clock = 0;
  thread.acquired.reset();
  thread.copies.clear();
  thread.copyGroup = 0;
  auto body = [this, &thread](boost::context::fiber &&back) {
    schedulerStack = enterStack(nullptr);
    scheduler = std::move(back);
    launch.kernel.function(&thread, launch.arguments);
    finish(thread);
    leaveStack(schedulerStack, /*last=*/true);
    return std::move(scheduler);
  };
  thread.fiber = boost::context::fiber(std::allocator_arg, stacks.stack(thread.index),
                                       Stacks::Allocator(), std::move(body));
}

void Block::run(uint32_t index, uint32_t order) {
  blockIndex = index;
  blockOrder = order;
  start();
  while (!ready.empty() && !stopped && !launch.mustStop(blockOrder)) {
    std::swap(ready[random.below(static_cast<uint32_t>(ready.size()))], ready.back());
    Warp &warp = *ready.back();
    ready.pop_back();
    runWarp(warp);
  }
  if (ready.empty() && !stopped && returned < launch.kernel.blockThreads)
    reportStuck();
  // A fiber that has not returned holds frames of compiled code, which cannot be unwound. None of
  // the frames owns anything, so that they are dropped as they are.
  for (uint32_t i = 0; i < launch.kernel.blockThreads; ++i)
    ::new (static_cast<void *>(&threads[i].fiber)) boost::context::fiber();
}

/// Runs each lane until it waits or returns.
void Block::runWarp(Warp &warp) {
  const uint32_t first = random.below(warpSize);
  for (uint32_t i = 0; i < warpSize && !stopped; ++i) {
    Thread &thread = warp.lanes[warp.order[(first + i) % warpSize]];
    if (thread.state == ThreadState::Runnable)
      resume(thread);
  }
}

void Block::resume(Thread &thread) {
  void *saved = leaveStack(stacks.bounds(thread.index));
  thread.fiber = std::move(thread.fiber).resume();
  enterStack(saved);
}

void Block::suspend() {
  void *saved = leaveStack(schedulerStack);
  scheduler = std::move(scheduler).resume();
  enterStack(saved);
}

void Block::abandon() {
  stopped = true;
  suspend();
  __builtin_unreachable();
}

void Block::poll(Thread &thread) {
  if (launch.mustStop(blockOrder))
    abandon();
}

void Block::finish(Thread &thread) {
  if (!thread.copies.empty())
    fail(thread, thread.copies.front().op,
         "the thread returns without waiting for this asynchronous copy");
  thread.state = ThreadState::Returned;
  ++returned;
}

void Block::record(const Thread &thread, uint32_t op, const std::string &message) {
  launch.fail(blockOrder, ops()[op].describe() + ", " + describe(blockIndex) + ", thread " +
                              std::to_string(thread.index) + ": " + message);
}

void Block::fail(Thread &thread, uint32_t op, const char *message) {
  record(thread, op, message);
  abandon();
}

} // namespace lora::emulator
