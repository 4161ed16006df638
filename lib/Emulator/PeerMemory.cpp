//===- PeerMemory.cpp - Shared memory of other blocks of the cluster ------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cluster.h"
#include "lora/Support/Error.h"

namespace lora::emulator {

static constexpr unsigned rankShift = 32;

uintptr_t Cluster::peerAddress(uintptr_t offset, uint32_t rank) const {
  if (rank >= blocks.size())
    throw Error("rank " + std::to_string(rank) + " in a cluster of " +
                std::to_string(blocks.size()) + (blocks.size() == 1 ? " block" : " blocks"));
  return (static_cast<uintptr_t>(rank) << rankShift) + offset;
}

Cluster::PeerPlace Cluster::resolvePeer(const Thread &thread, uintptr_t address) {
  // Rounds to the nearest rank, so that an offset below 0 still belongs to its block.
  const uintptr_t rank = (address + (uintptr_t(1) << (rankShift - 1))) >> rankShift;
  if (rank >= blocks.size())
    throw Error("the address is in the shared memory of no block of the cluster");
  Block &peer = blocks[rank];
  if (&peer != thread.block) {
    if (thread.warp->knownClusterPhases == 0)
      throw Error("the shared memory of " + launch.describeBlock(peer.index()) +
                  ", which is not known to have started: no simt.cluster_wait comes before");
    if (peer.hasLeft())
      throw Error("the shared memory of " + launch.describeBlock(peer.index()) +
                  ", which has left the cluster");
  }
  return {peer, address - (rank << rankShift)};
}

Location Cluster::findPeer(Thread &thread, uint32_t op, uintptr_t address, uint32_t width) {
  const PeerPlace place = resolvePeer(thread, address);
  if (&place.block != thread.block)
    thread.peerAccesses[place.block.rank] = thread.access(op);
  return place.block.shared.find(place.offset, width);
}

/// The shared memory of `leaver` ends now. Checks that this is after all accesses by its peers, and
/// not only in this schedule: some thread of the block must have known of each before it returned.
void Cluster::checkLeaves(Block &leaver) {
  for (Block &peer : blocks) {
    for (Thread &thread : peer.allThreads()) {
      const Access &access = thread.peerAccesses[leaver.rank];
      if (!access.happened() || llvm::any_of(leaver.allThreads(), [&](const Thread &other) {
            return other.knows(access);
          }))
        continue;
      record(thread, access.op,
             "the shared memory of " + launch.describeBlock(leaver.index()) +
                 ", which might have left the cluster: no barrier orders this access before that");
      abandon();
    }
  }
}

} // namespace lora::emulator
