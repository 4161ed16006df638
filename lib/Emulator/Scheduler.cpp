//===- Scheduler.cpp - Threads of a block take turns ---------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Block.h"

#include "lora/Support/Error.h"

#include <numeric>

namespace lora::emulator {

Block::Block(Launch &launch)
    : launch(launch), shared(launch.kernel.sharedBytes),
      threads(std::make_unique<Thread[]>(launch.kernel.blockThreads)),
      warps(launch.kernel.blockThreads / warpSize), stacks(launch.kernel.blockThreads) {}

/// Puts every thread before its first instruction.
void Block::start() {
  const auto &grid = launch.options.grid;
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
    ready.push_back(&warp);
    for (uint32_t lane = 0; lane < warpSize; ++lane) {
      Thread &thread = warp.lanes[lane];
      thread.block = this;
      thread.warp = &warp;
      thread.lane = lane;
      thread.index = warp.index * warpSize + lane;
      thread.registers = {thread.index,
                          0,
                          0,
                          launch.kernel.blockThreads,
                          1,
                          1,
                          blockIndex % grid[0],
                          blockIndex / grid[0] % grid[1],
                          blockIndex / grid[0] / grid[1],
                          grid[0],
                          grid[1],
                          grid[2],
                          lane};
      thread.state = ThreadState::Runnable;
      thread.clock = 0;
      thread.acquired.reset();
      thread.copies.clear();
      thread.copyGroup = 0;
      thread.fiber =
          boost::context::fiber(std::allocator_arg, stacks.stack(thread.index), Stacks::Allocator(),
                                [this, &thread](boost::context::fiber &&back) {
                                  scheduler = std::move(back);
                                  launch.kernel.function(&thread, launch.arguments);
                                  finish(thread);
                                  return std::move(scheduler);
                                });
    }
  }
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

void Block::resume(Thread &thread) { thread.fiber = std::move(thread.fiber).resume(); }

void Block::suspend() { scheduler = std::move(scheduler).resume(); }

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

//===----------------------------------------------------------------------===//
// Messages about threads that wait for ever
//===----------------------------------------------------------------------===//

std::string Block::describeState(const Thread &thread) const {
  if (thread.state == ThreadState::Returned)
    return "returned";
  const OpInfo &op = ops()[thread.waitOp];
  std::string text = "at " + op.name + " " + op.location;
  if (op.threads != 0)
    text += " with id " + std::to_string(thread.barrierId);
  return text;
}

/// Joins the indices of equal texts: "warps 0-2 returned, warp 3 at ...".
static std::string describeRanges(const std::string &what, llvm::ArrayRef<std::string> texts) {
  std::string result;
  std::vector<bool> done(texts.size());
  for (size_t i = 0; i < texts.size(); ++i) {
    if (done[i])
      continue;
    std::string indices;
    size_t count = 0;
    for (size_t j = i; j < texts.size(); ++j) {
      if (texts[j] != texts[i])
        continue;
      size_t last = j;
      while (last + 1 < texts.size() && texts[last + 1] == texts[i])
        ++last;
      indices += (indices.empty() ? "" : ",") + std::to_string(j);
      if (last > j)
        indices += "-" + std::to_string(last);
      for (; j <= last; ++j, ++count)
        done[j] = true;
      --j;
    }
    result +=
        (result.empty() ? "" : ", ") + what + (count > 1 ? "s " : " ") + indices + " " + texts[i];
  }
  return result;
}

std::string Block::describeLanes(const Warp &warp) const {
  std::vector<std::string> texts;
  for (uint32_t lane = 0; lane < warpSize; ++lane)
    texts.push_back(describeState(warp.lanes[lane]));
  if (std::all_of(texts.begin(), texts.end(), [&](auto &text) { return text == texts[0]; }))
    return texts[0];
  return "(" + describeRanges("lane", texts) + ")";
}

std::string Block::describeWarps() const {
  std::vector<std::string> texts;
  for (const Warp &warp : warps)
    texts.push_back(describeLanes(warp));
  return describeRanges("warp", texts);
}

/// No thread can run. Blames the first warp whose lanes went different ways, else the first that
/// waits.
void Block::reportStuck() {
  auto waits = [](const Thread &thread) { return thread.state == ThreadState::Waiting; };
  const Thread *blamed = nullptr;
  for (const Warp &warp : warps) {
    const Thread *lane = std::find_if(warp.lanes, warp.lanes + warpSize, waits);
    if (lane == warp.lanes + warpSize)
      continue;
    const bool diverged = std::any_of(warp.lanes, warp.lanes + warpSize, [&](const Thread &other) {
      return !waits(other) || other.waitOp != lane->waitOp || other.barrierId != lane->barrierId;
    });
    if (diverged) {
      record(*lane, lane->waitOp, "warp-wide op without all its lanes: " + describeWarps());
      return;
    }
    if (!blamed)
      blamed = lane;
  }
  const OpInfo &op = ops()[blamed->waitOp];
  if (op.threads == 0)
    record(*blamed, blamed->waitOp,
           "barrier divergence: not all threads of the block wait here: " + describeWarps());
  else
    record(*blamed, blamed->waitOp,
           "deadlock: fewer than " + std::to_string(op.threads) +
               " threads wait here: " + describeWarps());
}

} // namespace lora::emulator
