//===- Clock.h - Which accesses come before which -------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Time is counted per thread. The clock of a thread advances when it passes a barrier and when it
// releases through an atomic. All barriers join whole warps, and after one the clocks of a warp's
// lanes are equal again, so what a warp knows of its block is one limit a warp: everything that the
// lanes of warp w did at a clock below the limit came before. Knowledge that passes through atomics
// is a limit a thread for the thread that released, and a limit a warp for what that thread knew.
//
// A store that an mbarrier counts happens apart from the thread that asks for it: whoever knows
// that the mbarrier is over knows the store, and nothing else does.
//
//===----------------------------------------------------------------------===//

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <vector>

namespace lora::emulator {

inline constexpr uint32_t warpSize = 32;

/// An access that happened: the block, the clock, the op, and the lanes of one warp.
struct Access {
  uint32_t block = 0;
  /// The number of the mbarrier if `counted`.
  uint32_t clock = 0;
  uint32_t op = 0;
  uint16_t warp = 0;
  /// A store that an mbarrier counts.
  bool counted = false;
  /// One bit a lane; 0 when nothing has happened yet.
  uint32_t lanes = 0;

  bool happened() const { return lanes != 0; }
  /// The lowest thread of the block that took part.
  uint32_t firstThread() const { return warp * warpSize + __builtin_ctz(lanes); }
};

/// What a release makes known of one block.
struct BlockLimits {
  /// Per warp: what its lanes did at a lower clock is known. Empty or one entry a warp.
  std::vector<uint32_t> warps;
  /// Per thread, beyond that of its warp.
  std::map<uint32_t, uint32_t> threads;

  bool covers(const Access &access) const;
  void join(const BlockLimits &other);
};

/// What a thread learns by acquiring from an atomic location. Immutable once shared.
class ReleaseClock {
public:
  bool covers(const Access &access) const;
  BlockLimits &limits(uint32_t block) { return blocks[block]; }
  /// What the mbarrier with this number counts is known.
  void addMbarrier(uint32_t number) { mbarriers.insert(number); }
  void join(const ReleaseClock &other);

private:
  std::map<uint32_t, BlockLimits> blocks;
  std::set<uint32_t> mbarriers;
};

/// Null knows nothing.
using SharedClock = std::shared_ptr<const ReleaseClock>;

/// What both know together.
SharedClock joinClocks(const SharedClock &a, const SharedClock &b);

} // namespace lora::emulator
