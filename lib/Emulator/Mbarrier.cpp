//===- Mbarrier.cpp - Stores to other blocks, and the waits for them ------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mbarrier.h"

#include "Cluster.h"
#include "Operations.h"
#include "lora/Support/Error.h"

#include <cstring>
#include <utility>

namespace lora::emulator {

static SharedClock clockOf(uint32_t mbarrier) {
  auto clock = std::make_shared<ReleaseClock>();
  clock->addMbarrier(mbarrier);
  return clock;
}

Mbarrier::Mbarrier(const Thread &thread, uint32_t op, uint32_t number)
    : initAccess(thread.access(op)), phase(thread.warp->clusterArrivals), number(number),
      known(clockOf(number)), expected(thread.block->ops()[op].expectedBytes) {}

std::string Mbarrier::describeArrived() const {
  return std::to_string(arrived) + " of " + std::to_string(expected) + " bytes";
}

static constexpr const char *notInitialised = "the mbarrier is not known to be initialised: ";

void Mbarrier::checkInitialised(const Thread &thread, const Block &owner) const {
  // A relaxed arrive publishes an mbarrier too, which the clocks do not know of.
  const Warp &initialiser = owner.warps[initAccess.warp];
  if (initialiser.clusterArrivals > phase && thread.warp->knownClusterPhases > phase)
    return;
  const bool isOwn = thread.block == &owner;
  if (isOwn && thread.knows(initAccess))
    return;
  throw Error(std::string(notInitialised) + "no barrier of the cluster " +
              (isOwn ? "or the block " : "") + "orders this op after " +
              describeOther(thread, initAccess));
}

void Mbarrier::store(Thread &thread, uint32_t op, Block &owner, uintptr_t offset) {
  const uint32_t bytes = thread.block->ops()[op].bytes;
  if (arrived + bytes > expected)
    throw Error("more bytes than the mbarrier expects: " + std::to_string(bytes) + " after " +
                describeArrived() + ", since " + describeOther(thread, initAccess));
  const Location to = owner.shared.find(offset, bytes);
  to.line->startCounted(thread, op, number, to.offset, bytes);
  std::memcpy(to.data, thread.scratch.data(), bytes);
  stores.push_back({static_cast<uint32_t>(offset), bytes});
  arrived += bytes;
  if (arrived == expected)
    for (Thread *waiter : std::exchange(waiting, {}))
      owner.cluster.makeReady(*waiter);
}

void Mbarrier::wait(Thread &thread, uint32_t op, uint32_t place) {
  if (arrived < expected) {
    thread.state = ThreadState::Waiting;
    thread.waitOp = op;
    thread.barrierId = place;
    waiting.push_back(&thread);
    thread.block->cluster.suspend();
  }
  if (!std::exchange(waitedFor, true)) {
    for (const Store &store : stores) {
      const Location to = thread.block->shared.find(store.offset, store.bytes);
      to.line->finishCounted(to.offset, store.bytes);
    }
  }
  thread.acquired = joinClocks(thread.acquired, known);
}

/// The mbarrier at `offset` of `owner`'s shared memory, which `thread` may use. Throws Error if
/// there is none.
static Mbarrier &findMbarrier(const Thread &thread, Block &owner, uintptr_t offset) {
  owner.shared.find(offset, Mbarrier::size);
  auto found = owner.mbarriers.find(static_cast<uint32_t>(offset));
  if (found == owner.mbarriers.end())
    throw Error(std::string(notInitialised) + "no simt.mbarrier_init has come yet");
  found->second.checkInitialised(thread, owner);
  return found->second;
}

void mbarrierInit(Thread &thread, uint32_t op, uintptr_t address, bool predicate) {
  if (!predicate)
    return;
  Block &block = *thread.block;
  const Location at = block.shared.find(address, Mbarrier::size);
  const auto place = static_cast<uint32_t>(address);
  if (auto found = block.mbarriers.find(place); found != block.mbarriers.end())
    throw Error("the mbarrier is initialised already, by " +
                describeOther(thread, found->second.init()));
  at.line->makeMbarrier(thread, op, at.offset, Mbarrier::size);
  block.mbarriers.emplace(place, Mbarrier(thread, op, block.launch.nextMbarrier++));
}

void storeAsync(Thread &thread, uint32_t op, uintptr_t address, uintptr_t mbarrier,
                bool predicate) {
  if (!predicate)
    return;
  Cluster &cluster = thread.block->cluster;
  const Cluster::PeerPlace to = cluster.resolvePeer(thread, address);
  const Cluster::PeerPlace counter = cluster.resolvePeer(thread, mbarrier);
  if (&to.block != &counter.block)
    throw Error("the address is in the shared memory of " + to.block.describe(to.block.index()) +
                ", the mbarrier in that of " + to.block.describe(counter.block.index()));
  findMbarrier(thread, to.block, counter.offset).store(thread, op, to.block, to.offset);
}

void mbarrierWait(Thread &thread, uint32_t op, uintptr_t address) {
  findMbarrier(thread, *thread.block, address).wait(thread, op, static_cast<uint32_t>(address));
}

/// The shared memory of `leaver` ends now. What is stored to it must have arrived, and not only in
/// this schedule: a thread of the block must have waited.
void Cluster::checkMbarriers(Block &leaver) {
  for (const auto &[place, mbarrier] : leaver.mbarriers) {
    if (mbarrier.wasWaitedFor())
      continue;
    const Access &init = mbarrier.init();
    record(leaver.allThreads()[init.firstThread()], init.op,
           "the block ends with no simt.mbarrier_wait for this mbarrier, at " +
               mbarrier.describeArrived());
    abandon();
  }
}

} // namespace lora::emulator
