//===- Thread.h - A CUDA thread and its warp ------------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "Clock.h"
#include "HostContext.h"

#include <boost/context/fiber.hpp>

#include <vector>

namespace lora::emulator {

class Block;
struct Warp;

/// A cp.async that was issued and not waited for.
struct PendingCopy {
  uint32_t destination;
  /// Null to write zeros.
  const std::byte *source;
  uint32_t op;
  uint32_t group;
};

enum class ThreadState : uint8_t { Runnable, Waiting, Returned };

/// A CUDA thread. The compiled kernel holds its address as a HostContext.
struct Thread : HostContext {
  Block *block;
  Warp *warp;
  /// Index in the block and in the warp.
  uint32_t index;
  uint32_t lane;

  ThreadState state;
  /// Where it waits, with the id of the barrier if it is a named one, or the place of the mbarrier.
  uint32_t waitOp;
  uint32_t barrierId;

  uint32_t clock;
  /// What it acquired since its last barrier.
  SharedClock acquired;

  /// Its last access to the shared memory of each other block of the cluster, by rank.
  std::vector<Access> peerAccesses;

  std::vector<PendingCopy> copies;
  /// The group that the next copy will belong to.
  uint32_t copyGroup;

  /// The code of this thread while another one runs.
  boost::context::fiber fiber;

  uint32_t laneBit() const { return 1u << lane; }
  Access access(uint32_t op) const;
  /// Whether `earlier` came before what this thread does now.
  bool knows(const Access &earlier) const;
};

struct Warp {
  uint32_t index;
  Thread *lanes;
  /// The order in which its lanes get to run.
  std::array<uint8_t, warpSize> order;
  uint32_t waitingLanes;
  uint32_t returnedLanes;
  /// What it knows of each warp of the block, as in BlockLimits, and of other blocks.
  std::vector<uint32_t> seen;
  SharedClock known;
  /// It came to the barrier of the cluster and has not waited there since.
  bool arrivedAtCluster;
  /// In how many phases of that barrier it has arrived. It takes part in each, so that the phase of
  /// its next arrive has this number.
  uint32_t clusterArrivals;
  /// How many phases are over, as far as is known from the waits of this warp and of those it
  /// synchronised with. One shows that all blocks of the cluster have started.
  uint32_t knownClusterPhases;
};

} // namespace lora::emulator
