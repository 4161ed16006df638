//===- LayoutChecks.h - What tests ask of every layout --------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "lora/Layout/Layout.h"

#include <gtest/gtest.h>

#include <map>

namespace lora {

inline constexpr int kLanes = 1 << Layout::kLaneBits;

inline int zeroBases(const std::vector<Basis> &bases) {
  int count = 0;
  for (Basis basis : bases)
    count += basis.step == 0;
  return count;
}

/// Fails unless the places of a layout with `warps` warps hold every element of the tile, each as
/// often as zero bases repeat it, and nothing outside of the tile.
inline void expectCovers(const Layout &layout, Coordinates shape, int warps) {
  for (int d = 0; d != layout.rank(); ++d)
    ASSERT_EQ(layout.size(d), shape[d]) << "dimension " << d;
  std::map<Coordinates, int> holders;
  for (int warp = 0; warp != warps; ++warp)
    for (int lane = 0; lane != kLanes; ++lane)
      for (int reg = 0; reg != layout.numRegisters(); ++reg)
        ++holders[layout.at(reg, lane, warp)];
  int copies =
      1 << (zeroBases(layout.registers()) + zeroBases(layout.lanes()) + zeroBases(layout.warps()));
  ASSERT_EQ(holders.size(), static_cast<size_t>(shape[0]) * shape[1]);
  for (const auto &[element, count] : holders) {
    ASSERT_LT(element[0], shape[0]);
    ASSERT_LT(element[1], shape[1]);
    ASSERT_EQ(count, copies) << "element " << element[0] << ", " << element[1];
  }
}

} // namespace lora
