//===- ClusterBarrier.cpp - The barrier of a cluster ----------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ClusterBarrier.h"

#include "Block.h"
#include "lora/Support/Error.h"

#include <algorithm>
#include <utility>

namespace lora::emulator {

void ClusterBarrier::start(uint32_t warps) {
  phase = 0;
  missing = running = warps;
  gathered = ReleaseClock();
  released.reset();
  waiting.clear();
}

/// Puts all that the lanes did and know into `clock`, and begins a new time for them.
static void releaseWarp(Warp &warp, ReleaseClock &clock) {
  uint32_t latest = 0;
  for (const Thread &thread : llvm::ArrayRef(warp.lanes, warpSize)) {
    latest = std::max(latest, thread.clock);
    if (thread.acquired)
      clock.join(*thread.acquired);
  }
  for (Thread &thread : llvm::MutableArrayRef(warp.lanes, warpSize))
    thread.clock = latest + 1;
  if (warp.known)
    clock.join(*warp.known);
  BlockLimits own;
  own.warps = warp.seen;
  own.warps[warp.index] = latest + 1;
  clock.limits(warp.lanes->block->index()).join(own);
}

std::vector<Warp *> ClusterBarrier::arrive(Warp &warp, bool releases) {
  if (warp.arrivedAtCluster)
    throw Error("arrives at the cluster barrier again, with no simt.cluster_wait in between");
  warp.arrivedAtCluster = true;
  ++warp.clusterArrivals;
  if (releases)
    releaseWarp(warp, gathered);
  --missing;
  return endPhaseIfComplete();
}

bool ClusterBarrier::wait(Warp &warp) {
  if (!warp.arrivedAtCluster)
    throw Error("waits at the cluster barrier with no simt.cluster_arrive before");
  if (warp.clusterArrivals > phase) {
    waiting.push_back(&warp);
    return false;
  }
  pass(warp);
  return true;
}

std::vector<Warp *> ClusterBarrier::leave(Warp &warp) {
  --running;
  const bool hasArrived = warp.clusterArrivals > phase;
  if (!hasArrived)
    --missing;
  return endPhaseIfComplete();
}

std::vector<Warp *> ClusterBarrier::endPhaseIfComplete() {
  if (missing != 0)
    return {};
  released = std::make_shared<ReleaseClock>(std::exchange(gathered, ReleaseClock()));
  ++phase;
  missing = running;
  for (Warp *warp : waiting)
    pass(*warp);
  return std::exchange(waiting, {});
}

void ClusterBarrier::pass(Warp &warp) const {
  warp.arrivedAtCluster = false;
  warp.knownClusterPhases = std::max(warp.knownClusterPhases, warp.clusterArrivals);
  warp.known = joinClocks(warp.known, released);
}

} // namespace lora::emulator
