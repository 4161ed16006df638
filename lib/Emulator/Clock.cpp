//===- Clock.cpp - Which accesses come before which -----------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Clock.h"

#include <algorithm>

namespace lora::emulator {

bool BlockLimits::covers(const Access &access) const {
  if (access.warp < warps.size() && access.clock < warps[access.warp])
    return true;
  for (uint32_t lanes = access.lanes; lanes; lanes &= lanes - 1) {
    auto found = threads.find(access.warp * warpSize + __builtin_ctz(lanes));
    if (found == threads.end() || access.clock >= found->second)
      return false;
  }
  return true;
}

void BlockLimits::join(const BlockLimits &other) {
  warps.resize(std::max(warps.size(), other.warps.size()));
  for (size_t warp = 0; warp < other.warps.size(); ++warp)
    warps[warp] = std::max(warps[warp], other.warps[warp]);
  for (auto [thread, limit] : other.threads) {
    uint32_t &mine = threads[thread];
    mine = std::max(mine, limit);
  }
}

bool ReleaseClock::covers(const Access &access) const {
  if (access.counted)
    return mbarriers.contains(access.clock);
  auto found = blocks.find(access.block);
  return found != blocks.end() && found->second.covers(access);
}

void ReleaseClock::join(const ReleaseClock &other) {
  for (const auto &[block, limits] : other.blocks)
    blocks[block].join(limits);
  mbarriers.insert(other.mbarriers.begin(), other.mbarriers.end());
}

SharedClock joinClocks(const SharedClock &a, const SharedClock &b) {
  if (!a || a == b)
    return b;
  if (!b)
    return a;
  auto joined = std::make_shared<ReleaseClock>(*a);
  joined->join(*b);
  return joined;
}

} // namespace lora::emulator
