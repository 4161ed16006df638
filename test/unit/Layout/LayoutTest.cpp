//===- LayoutTest.cpp - Tests of the layout algebra -----------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Layout/Layout.h"

#include "LayoutChecks.h"

#include <set>

using namespace lora;

namespace {

/// An accumulator of mma.m16n8: lanes 0-3 hold columns, lanes 4-31 rows.
Layout accumulator() {
  return Layout(2, {{1, 1}, {0, 8}}, {{1, 2}, {1, 4}, {0, 1}, {0, 2}, {0, 4}}, {});
}

TEST(LayoutTest, AddsTheBasesOfTheBitsThatAreSet) {
  Layout layout = accumulator();
  EXPECT_EQ(layout.rank(), 2);
  EXPECT_EQ(layout.numRegisters(), 4);
  EXPECT_EQ(layout.at(0), (Coordinates{0, 0}));
  EXPECT_EQ(layout.at(1), (Coordinates{0, 1}));
  EXPECT_EQ(layout.at(2), (Coordinates{8, 0}));
  EXPECT_EQ(layout.at(3, 4 * 5 + 3), (Coordinates{13, 7}));
  EXPECT_EQ(layout.ofRegister(3), (Coordinates{8, 1}));
}

TEST(LayoutTest, WarpsContributeLikeLanes) {
  Layout layout(2, {}, {{1, 1}, {1, 2}, {1, 4}, {1, 8}, {1, 16}}, {{0, 0}, {0, 1}});
  EXPECT_EQ(layout.at(0, 31, 0), (Coordinates{0, 31}));
  EXPECT_EQ(layout.at(0, 0, 1), (Coordinates{0, 0}));
  EXPECT_EQ(layout.at(0, 1, 3), (Coordinates{1, 1}));
  expectCovers(layout, {2, 32}, 4);
}

TEST(LayoutTest, SizeIsOneAlongAnUnusedDimension) {
  Layout layout(1, {{0, 1}, {0, 2}}, {{0, 4}, {0, 0}, {0, 0}, {0, 0}, {0, 0}}, {});
  EXPECT_EQ(layout.size(0), 8);
  EXPECT_EQ(layout.size(1), 1);
}

TEST(LayoutTest, RegisterAtInvertsTheRegisters) {
  Layout layout = accumulator();
  for (int reg = 0; reg != layout.numRegisters(); ++reg)
    EXPECT_EQ(layout.registerAt(layout.at(reg)), reg);
  EXPECT_EQ(layout.registerAt({0, 2}), std::nullopt);
  EXPECT_EQ(layout.registerAt({4, 0}), std::nullopt);
  EXPECT_EQ(layout.registerAt({16, 1}), std::nullopt);
}

TEST(LayoutTest, RegisterAtIgnoresZeroBases) {
  Layout layout(1, {{0, 0}, {0, 1}}, {}, {});
  EXPECT_EQ(layout.registerAt({1, 0}), 2);
}

TEST(LayoutTest, CountsContiguousRegisters) {
  EXPECT_EQ(accumulator().contiguousRegisters(1), 2);
  EXPECT_EQ(accumulator().contiguousRegisters(0), 1);
  EXPECT_EQ(Layout(2, {{1, 1}, {1, 2}, {1, 4}, {1, 32}}, {}, {}).contiguousRegisters(1), 8);
  EXPECT_EQ(Layout(2, {{1, 2}, {1, 1}}, {}, {}).contiguousRegisters(1), 1);
  EXPECT_EQ(Layout(2, {}, {}, {}).contiguousRegisters(1), 1);
}

TEST(LayoutTest, SliceKeepsOneDimension) {
  Layout rows = accumulator().slice(0);
  EXPECT_EQ(rows, Layout(1, {{0, 8}}, {{0, 0}, {0, 0}, {0, 1}, {0, 2}, {0, 4}}, {}));
  Layout columns = accumulator().slice(1);
  EXPECT_EQ(columns, Layout(1, {{0, 1}}, {{0, 2}, {0, 4}, {0, 0}, {0, 0}, {0, 0}}, {}));
  EXPECT_EQ(accumulator().registersInSlice(0), (std::vector<int>{0, 0, 1, 1}));
  EXPECT_EQ(accumulator().registersInSlice(1), (std::vector<int>{0, 1, 0, 1}));
}

TEST(LayoutTest, EqualLayoutsHaveEqualBases) {
  EXPECT_EQ(accumulator(), accumulator());
  EXPECT_NE(accumulator(), Layout(2, {{1, 1}, {0, 8}}, {}, {}));
}

//===----------------------------------------------------------------------===//
// Blocked layouts
//===----------------------------------------------------------------------===//

struct BlockedCase {
  std::vector<int32_t> shape;
  int contiguous, vector, warps, sharing;
};

std::vector<BlockedCase> blockedCases() {
  std::vector<BlockedCase> cases;
  for (int vector : {1, 2, 4, 8})
    for (int warps : {1, 2, 4, 8})
      for (int sharing = 1; sharing <= warps; sharing *= 2) {
        for (int rows : {1, 2, 8, 16, 64, 512})
          cases.push_back({{rows}, 0, vector, warps, sharing});
        for (int rows : {1, 16, 32, 128})
          for (int columns : {1, 4, 8, 32, 256})
            for (int contiguous : {0, 1})
              cases.push_back({{rows, columns}, contiguous, vector, warps, sharing});
      }
  return cases;
}

Layout make(const BlockedCase &c) {
  return blockedLayout(c.shape, c.contiguous, c.vector, c.warps, c.sharing);
}

std::string describe(const BlockedCase &c) {
  std::string text;
  for (int32_t size : c.shape)
    text += std::to_string(size) + "x";
  return text + " contiguous " + std::to_string(c.contiguous) + " vector " +
         std::to_string(c.vector) + " warps " + std::to_string(c.warps) + " sharing " +
         std::to_string(c.sharing);
}

TEST(BlockedLayoutTest, HoldsEveryElementOnceUpToZeroBases) {
  for (const BlockedCase &c : blockedCases()) {
    SCOPED_TRACE(describe(c));
    Layout layout = make(c);
    EXPECT_EQ(layout.rank(), static_cast<int>(c.shape.size()));
    EXPECT_EQ(layout.lanes().size(), static_cast<size_t>(Layout::kLaneBits));
    EXPECT_EQ(1 << layout.warps().size(), c.warps);
    EXPECT_EQ(zeroBases(layout.registers()), 0) << "a thread holds an element twice";
    expectCovers(layout, {c.shape[0], c.shape.size() == 2 ? c.shape[1] : 1}, c.warps);
  }
}

TEST(BlockedLayoutTest, HoldsVectorsOfConsecutiveElements) {
  for (const BlockedCase &c : blockedCases()) {
    SCOPED_TRACE(describe(c));
    EXPECT_GE(make(c).contiguousRegisters(c.contiguous), std::min(c.vector, c.shape[c.contiguous]));
  }
}

TEST(BlockedLayoutTest, NeighbouringLanesHoldNeighbouringVectors) {
  Layout layout = blockedLayout(std::vector<int32_t>{16, 64}, 1, 8, 4, 1);
  for (int lane = 0; lane != kLanes; ++lane)
    EXPECT_EQ(layout.at(0, lane), (Coordinates{lane / 8, lane % 8 * 8}));
}

TEST(BlockedLayoutTest, SharingWarpsHoldTheSame) {
  Layout layout = blockedLayout(std::vector<int32_t>{64, 64}, 1, 8, 8, 4);
  for (int warp = 0; warp != 8; ++warp)
    EXPECT_EQ(layout.at(0, 0, warp), layout.at(0, 0, warp % 2));
}

TEST(BlockedLayoutTest, SlicesHoldWhatTheirTileNeeds) {
  for (const BlockedCase &c : blockedCases()) {
    if (c.shape.size() != 2)
      continue;
    SCOPED_TRACE(describe(c));
    Layout layout = make(c);
    for (int kept : {0, 1}) {
      Layout sliced = layout.slice(kept);
      std::vector<int> registers = layout.registersInSlice(kept);
      ASSERT_EQ(registers.size(), static_cast<size_t>(layout.numRegisters()));
      std::set<int> used(registers.begin(), registers.end());
      ASSERT_EQ(used.size(), static_cast<size_t>(sliced.numRegisters()));
      for (int warp = 0; warp != c.warps; ++warp)
        for (int lane : {0, 1, 5, 16, 31})
          for (int reg = 0; reg != layout.numRegisters(); ++reg)
            ASSERT_EQ(sliced.at(registers[reg], lane, warp)[0], layout.at(reg, lane, warp)[kept]);
    }
  }
}

//===----------------------------------------------------------------------===//
// Spread layouts
//===----------------------------------------------------------------------===//

TEST(SpreadLayoutTest, EveryThreadHoldsItsShareOfTheTile) {
  for (int warps : {1, 2, 4, 8})
    for (int rows : {16, 32, 64, 128})
      for (int columns : {8, 16, 32, 128})
        for (int most : {1, 4, 8}) {
          SCOPED_TRACE(describe({{rows, columns}, 1, most, warps, 1}));
          Layout layout = spreadLayout(std::vector<int32_t>{rows, columns}, most, warps);
          int share = rows * columns / (warps * kLanes);
          EXPECT_EQ(layout.numRegisters(), std::max(share, 1));
          expectCovers(layout, {rows, columns}, warps);
          if (share < 1)
            continue;
          EXPECT_EQ(zeroBases(layout.lanes()) + zeroBases(layout.warps()), 0) << "a thread is idle";
          EXPECT_GE(layout.contiguousRegisters(1), std::min({most, share, columns}));
        }
}

TEST(SpreadLayoutTest, WarpsHoldRowsOneAfterAnother) {
  Layout layout = spreadLayout(std::vector<int32_t>{16, 16}, 4, 2);
  EXPECT_EQ(layout.at(3, 0, 0), (Coordinates{0, 3}));
  EXPECT_EQ(layout.at(0, 1, 0), (Coordinates{0, 4}));
  EXPECT_EQ(layout.at(0, 4, 0), (Coordinates{1, 0}));
  EXPECT_EQ(layout.at(0, 0, 1), (Coordinates{8, 0}));
}

/// Four warps share 128 elements, one a thread, and not four that a vector could hold.
TEST(SpreadLayoutTest, SmallTilesHaveShorterVectors) {
  Layout layout = spreadLayout(std::vector<int32_t>{16, 8}, 4, 4);
  EXPECT_EQ(layout.numRegisters(), 1);
  EXPECT_EQ(layout.at(0, 9, 3), (Coordinates{13, 1}));
}

TEST(SpreadLayoutTest, ThreadsHoldCopiesOfTilesWithTooFewElements) {
  Layout layout = spreadLayout(std::vector<int32_t>{8, 8}, 4, 4);
  EXPECT_EQ(layout.numRegisters(), 1);
  EXPECT_EQ(layout.at(0, 5, 3), layout.at(0, 5, 1));
}

} // namespace
