//===- Synchronisation.cpp - Ops that warps and blocks do together --------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cluster.h"
#include "Mma.h"
#include "lora/Support/Error.h"

namespace lora::emulator {

void Block::gather(Thread &thread, uint32_t op, uint32_t barrierId) {
  Warp &warp = *thread.warp;
  thread.state = ThreadState::Waiting;
  thread.waitOp = op;
  thread.barrierId = barrierId;
  if (++warp.waitingLanes == warpSize) {
    // Lanes that came to another op wait for ever, which the scheduler finds and reports.
    const bool together = std::all_of(warp.lanes, warp.lanes + warpSize, [&](const Thread &lane) {
      return lane.waitOp == op && lane.barrierId == barrierId;
    });
    if (together)
      complete(warp, op, barrierId);
  }
  cluster.suspend();
}

void Block::complete(Warp &warp, uint32_t op, uint32_t barrierId) {
  const OpInfo &info = ops()[op];
  switch (info.kind) {
  case OpKind::Mma:
    multiplyAccumulate(info.mma, {warp.lanes, warpSize});
    cluster.makeReady(warp);
    break;
  case OpKind::WarpBarrier:
    synchronise({&warp});
    cluster.makeReady(warp);
    break;
  case OpKind::ClusterArrive:
    for (Warp *passed : cluster.barrier.arrive(warp, !info.relaxed))
      cluster.makeReady(*passed);
    cluster.makeReady(warp);
    break;
  case OpKind::ClusterWait:
    if (cluster.barrier.wait(warp))
      cluster.makeReady(warp);
    break;
  default:
    arrive(warp, info, barrierId);
  }
}

void Block::arrive(Warp &warp, const OpInfo &op, uint32_t barrierId) {
  const bool named = op.threads != 0;
  if (named && (barrierId < 1 || barrierId > 15))
    throw Error("expected a barrier id in 1 to 15, got " + std::to_string(barrierId));
  BarrierSlot &slot = barriers[barrierId];
  const uint32_t expected = named ? op.threads : launch.kernel.blockThreads;
  if (slot.arrived.empty())
    slot.threads = expected;
  if (slot.threads != expected)
    throw Error("barrier " + std::to_string(barrierId) + " is for " + std::to_string(slot.threads) +
                " threads at its first participant, for " + std::to_string(expected) + " here");
  slot.arrived.push_back(&warp);
  if (slot.arrived.size() * warpSize < slot.threads)
    return;
  // A barrier of the block that warps meet at different ops is legal PTX, but never meant: what the
  // compiler makes is uniform. The warps stay where they are and are reported.
  const bool samePlace = llvm::all_of(
      slot.arrived, [&](const Warp *other) { return other->lanes->waitOp == warp.lanes->waitOp; });
  if (!named && !samePlace)
    return;
  auto participants = std::move(slot.arrived);
  slot = BarrierSlot();
  synchronise(participants);
  for (Warp *participant : participants)
    cluster.makeReady(*participant);
}

/// Orders everything the participants did before what they will do.
void Block::synchronise(llvm::ArrayRef<Warp *> participants) {
  std::vector<uint32_t> seen(warps.size(), 0);
  SharedClock known;
  uint32_t knownClusterPhases = 0;
  for (Warp *warp : participants) {
    uint32_t latest = 0;
    for (Thread &thread : llvm::MutableArrayRef(warp->lanes, warpSize)) {
      latest = std::max(latest, thread.clock);
      warp->known = joinClocks(warp->known, thread.acquired);
      thread.acquired.reset();
    }
    warp->seen[warp->index] = latest + 1;
    known = joinClocks(known, warp->known);
    knownClusterPhases = std::max(knownClusterPhases, warp->knownClusterPhases);
    for (size_t i = 0; i < seen.size(); ++i)
      seen[i] = std::max(seen[i], warp->seen[i]);
  }
  for (Warp *warp : participants) {
    for (Thread &thread : llvm::MutableArrayRef(warp->lanes, warpSize))
      thread.clock = warp->seen[warp->index];
    warp->seen = seen;
    warp->known = known;
    warp->knownClusterPhases = knownClusterPhases;
  }
}

} // namespace lora::emulator
