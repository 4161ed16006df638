//===- MemoryOps.cpp - Loads, stores and atomics --------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cluster.h"
#include "Operations.h"
#include "lora/Support/Error.h"

#include <cstring>
#include <optional>

namespace lora::emulator {

static Location find(Thread &thread, uint32_t op, uintptr_t address, bool write) {
  const OpInfo &info = thread.block->ops()[op];
  switch (info.space) {
  case Space::Shared:
    return thread.block->shared.find(address, info.bytes);
  case Space::Peer:
    return thread.block->cluster.findPeer(thread, op, address, info.bytes);
  default:
    return thread.block->launch.memory.find(address, info.bytes, write);
  }
}

void load(Thread &thread, uint32_t op, uintptr_t address, bool predicate) {
  const OpInfo &info = thread.block->ops()[op];
  if (!predicate) {
    std::memset(thread.scratch.data(), 0, info.bytes);
    return;
  }
  const Location location = find(thread, op, address, /*write=*/false);
  std::optional<Line::Lock> lock;
  if (location.line) {
    if (info.space == Space::Global)
      lock.emplace(*location.line);
    if (info.readOnly)
      location.line->readOnly(thread, op, location.offset, info.bytes);
    else
      location.line->read(thread, op, location.offset, info.bytes);
  }
  std::memcpy(thread.scratch.data(), location.data, info.bytes);
}

void store(Thread &thread, uint32_t op, uintptr_t address, bool predicate) {
  if (!predicate)
    return;
  const OpInfo &info = thread.block->ops()[op];
  const Location location = find(thread, op, address, /*write=*/true);
  std::optional<Line::Lock> lock;
  if (info.space == Space::Global)
    lock.emplace(*location.line);
  location.line->write(thread, op, location.offset, info.bytes);
  std::memcpy(location.data, thread.scratch.data(), info.bytes);
}

/// Everything `thread` did and knows, for those who acquire it.
static SharedClock releaseClock(const Thread &thread) {
  auto clock = std::make_shared<ReleaseClock>();
  if (thread.warp->known)
    clock->join(*thread.warp->known);
  if (thread.acquired)
    clock->join(*thread.acquired);
  BlockLimits own;
  own.warps = thread.warp->seen;
  own.threads[thread.index] = thread.clock + 1;
  clock->limits(thread.block->index()).join(own);
  return clock;
}

uint32_t atomicAdd(Thread &thread, uint32_t op, uintptr_t address, uint32_t value) {
  const OpInfo &info = thread.block->ops()[op];
  const Location location = find(thread, op, address, /*write=*/true);
  Launch &launch = thread.block->launch;
  std::lock_guard guard(launch.atomics);
  SharedClock &released = launch.released[address];
  thread.acquired = joinClocks(thread.acquired, released);

  Line::Lock lock(*location.line);
  // Atomics on one location are ordered by the acquire above, so that this finds only races with
  // plain accesses. The read checks that the counter has a value.
  location.line->read(thread, op, location.offset, info.bytes);
  location.line->write(thread, op, location.offset, info.bytes);
  uint32_t old;
  std::memcpy(&old, location.data, sizeof(old));
  const uint32_t sum = old + value;
  std::memcpy(location.data, &sum, sizeof(sum));

  released = releaseClock(thread);
  ++thread.clock;
  return old;
}

void checkDivision(int64_t dividend, int64_t divisor, uint32_t signedWidth) {
  if (divisor == 0)
    throw Error("integer division by zero, of " + std::to_string(dividend));
  if (signedWidth != 0 && divisor == -1 && dividend == -(1ll << (signedWidth - 2)) * 2)
    throw Error("the quotient " + std::to_string(dividend) + " / -1 overflows");
}

} // namespace lora::emulator
