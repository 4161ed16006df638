//===- Block.cpp - One block that runs ------------------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Block.h"

#include <algorithm>
#include <numeric>

namespace lora::emulator {

Block::Block(Cluster &cluster, Launch &launch, uint32_t rank)
    : cluster(cluster), launch(launch), rank(rank), shared(launch.kernel.sharedBytes),
      warps(launch.kernel.blockThreads / warpSize),
      threads(std::make_unique<Thread[]>(launch.kernel.blockThreads)) {}

void Block::start(uint32_t index, Random &random) {
  blockIndex = index;
  returned = 0;
  shared.reset();
  mbarriers.clear();
  for (BarrierSlot &barrier : barriers)
    barrier = BarrierSlot();
  for (Warp &warp : warps) {
    warp.index = static_cast<uint32_t>(&warp - warps.data());
    warp.lanes = &threads[warp.index * warpSize];
    std::iota(warp.order.begin(), warp.order.end(), 0);
    random.shuffle(warp.order);
    warp.waitingLanes = 0;
    warp.returnedLanes = 0;
    warp.seen.assign(warps.size(), 0);
    warp.known.reset();
    warp.arrivedAtCluster = false;
    warp.clusterArrivals = 0;
    warp.knownClusterPhases = 0;
    for (uint32_t lane = 0; lane < warpSize; ++lane)
      start(warp, lane);
  }
}

void Block::start(Warp &warp, uint32_t lane) {
  Thread &thread = warp.lanes[lane];
  thread.block = this;
  thread.warp = &warp;
  thread.lane = lane;
  thread.index = warp.index * warpSize + lane;
  const auto &[gridX, gridY, gridZ] = launch.options.grid;
  const uint32_t clusterBlocks = launch.kernel.clusterBlocks;
  const uint32_t x = blockIndex % gridX;
  const uint32_t y = blockIndex / gridX % gridY;
  const uint32_t z = blockIndex / gridX / gridY;
  thread.registers = {
      thread.index,
      0,
      0, // tid
      launch.kernel.blockThreads,
      1,
      1, // ntid
      x,
      y,
      z, // ctaid
      gridX,
      gridY,
      gridZ, // nctaid
      x / clusterBlocks,
      y,
      z, // clusterid
      gridX / clusterBlocks,
      gridY,
      gridZ, // nclusterid
      rank,
      0,
      0, // cluster.ctaid
      clusterBlocks,
      1,
      1, // cluster.nctaid
      rank,
      clusterBlocks, // cluster.ctarank, cluster.nctarank
      lane,
  };
  thread.state = ThreadState::Runnable;
  thread.clock = 0;
  thread.acquired.reset();
  thread.peerAccesses.assign(clusterBlocks, Access());
  thread.copies.clear();
  thread.copyGroup = 0;
}

} // namespace lora::emulator
