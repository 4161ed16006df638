//===- Mbarrier.h - Stores to other blocks, and the waits for them --------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "Clock.h"

#include <string>
#include <vector>

namespace lora::emulator {

class Block;
struct Thread;

/// An mbarrier in the shared memory of a block: it is over, once and for all, when a number of
/// bytes has been stored. A store's bytes are there at once, but are in flight for all threads
/// until one has waited, and unordered for those that do not know of a wait.
class Mbarrier {
public:
  static constexpr uint32_t size = 8;

  /// What simt.mbarrier_init with index `op` makes in the block of `thread`. `number` is unique in
  /// the launch.
  Mbarrier(const Thread &thread, uint32_t op, uint32_t number);

  /// Throws Error unless `thread` may name this mbarrier of `owner`: for a peer, a barrier of the
  /// cluster must order it after the init; in the block itself, anything that orders will do.
  void checkInitialised(const Thread &thread, const Block &owner) const;

  /// Stores what is in the scratch of `thread`, which is allowed to, to `owner`, the block of this
  /// mbarrier. Throws Error as an ordinary store and when no more bytes are expected.
  void store(Thread &thread, uint32_t op, Block &owner, uintptr_t offset);

  /// Waits until it is over; `thread` then knows what was stored.
  void wait(Thread &thread, uint32_t op, uint32_t place);

  bool wasWaitedFor() const { return waitedFor; }
  const Access &init() const { return initAccess; }
  /// "4 of 8 bytes".
  std::string describeArrived() const;

private:
  struct Store {
    uint32_t offset;
    uint32_t bytes;
  };

  Access initAccess;
  /// The phase of the cluster's barrier at which the warp that prepared this arrives next.
  uint32_t phase;
  uint32_t number;
  /// That this mbarrier is over.
  SharedClock known;
  uint32_t expected;
  uint32_t arrived = 0;
  bool waitedFor = false;
  std::vector<Store> stores;
  std::vector<Thread *> waiting;
};

} // namespace lora::emulator
