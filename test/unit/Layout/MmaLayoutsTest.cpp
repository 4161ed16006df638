//===- MmaLayoutsTest.cpp - Tests of the layouts of tensor core operands --===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Layout/MmaLayouts.h"

#include "LayoutChecks.h"

#include <set>

using namespace lora;

namespace {

std::vector<MmaTile> allTiles() {
  std::vector<MmaTile> tiles;
  for (int m : {16, 32, 64, 128})
    for (int n : {8, 16, 32, 64, 128, 256})
      for (int k : {16, 32, 64, 128})
        for (int warpsM : {1, 2, 4, 8})
          for (int warpsN : {1, 2, 4, 8})
            for (int warpsK : {1, 2, 4}) {
              MmaTile tile{m, n, k, warpsM, warpsN, warpsK};
              // The largest are slow to check, and differ in the number of their registers alone.
              if (tile.problem().empty() && m * n * k <= 128 * 1024)
                tiles.push_back(tile);
            }
  return tiles;
}

std::string describe(const MmaTile &tile) {
  auto text = [](int value) { return std::to_string(value) + " "; };
  return "m n k " + text(tile.m) + text(tile.n) + text(tile.k) + "warps " + text(tile.warpsM) +
         text(tile.warpsN) + text(tile.warpsK);
}

//===----------------------------------------------------------------------===//
// Which matrix element a lane's fragment register stands for, from the PTX ISA, "Matrix Fragments
// for mma.m16n8k16" (16-bit types) and "mma.m16n8k8" (.tf32)
//===----------------------------------------------------------------------===//

/// Row and k of element `i` of the left operand.
Coordinates lhsOf(int depth, int lane, int i) {
  int group = lane / 4, inGroup = lane % 4;
  if (depth == 8)
    return {group + 8 * (i % 2), inGroup + 4 * (i / 2)};
  return {group + 8 * (i / 2 % 2), inGroup * 2 + i % 2 + 8 * (i / 4)};
}

/// k and column of element `i` of the right operand.
Coordinates rhsOf(int depth, int lane, int i) {
  int group = lane / 4, inGroup = lane % 4;
  if (depth == 8)
    return {inGroup + 4 * i, group};
  return {inGroup * 2 + i % 2 + 8 * (i / 2), group};
}

/// Row and column of element `i` of the product.
Coordinates productOf(int lane, int i) { return {lane / 4 + 8 * (i / 2), lane % 4 * 2 + i % 2}; }

int64_t lhsValue(Coordinates c) { return (c[0] * 7 + c[1] * 13) % 31 - 15; }
int64_t rhsValue(Coordinates c) { return (c[0] * 11 + c[1] * 5) % 29 - 14; }

/// What the tensor cores of all warps make of the fragments, as a map from element to value. Warps
/// that hold the same element must agree.
void simulate(const MmaTile &tile, int depth, std::map<Coordinates, int64_t> &product) {
  Layout lhs = tile.lhs(), rhs = tile.rhs(), accumulator = tile.accumulator();
  std::vector<MmaFragments> instructions = mmaInstructions(lhs, rhs, accumulator, depth);
  ASSERT_EQ(instructions.size(), static_cast<size_t>(tile.m / 16 / tile.warpsM) *
                                     (tile.n / 8 / tile.warpsN) * (tile.k / depth));
  for (int warp = 0; warp != tile.warpsM * tile.warpsN * tile.warpsK; ++warp) {
    std::vector<std::vector<int64_t>> sums(kLanes,
                                           std::vector<int64_t>(accumulator.numRegisters()));
    for (const MmaFragments &fragments : instructions) {
      ASSERT_EQ(fragments.lhs.size(), static_cast<size_t>(16 * depth / kLanes));
      ASSERT_EQ(fragments.rhs.size(), static_cast<size_t>(8 * depth / kLanes));
      int64_t a[16][16] = {}, b[16][8] = {};
      for (int lane = 0; lane != kLanes; ++lane) {
        for (size_t i = 0; i != fragments.lhs.size(); ++i) {
          auto [row, k] = lhsOf(depth, lane, i);
          a[row][k] = lhsValue(lhs.at(fragments.lhs[i], lane, warp));
        }
        for (size_t i = 0; i != fragments.rhs.size(); ++i) {
          auto [k, column] = rhsOf(depth, lane, i);
          b[k][column] = rhsValue(rhs.at(fragments.rhs[i], lane, warp));
        }
      }
      for (int lane = 0; lane != kLanes; ++lane)
        for (int i = 0; i != 4; ++i) {
          auto [row, column] = productOf(lane, i);
          for (int k = 0; k != depth; ++k)
            sums[lane][fragments.accumulator[i]] += a[row][k] * b[k][column];
        }
    }
    for (int lane = 0; lane != kLanes; ++lane)
      for (int reg = 0; reg != accumulator.numRegisters(); ++reg) {
        auto [entry, isNew] = product.emplace(accumulator.at(reg, lane, warp), sums[lane][reg]);
        ASSERT_EQ(entry->second, sums[lane][reg]);
      }
  }
}

class MmaProductTest : public testing::TestWithParam<int> {};

TEST_P(MmaProductTest, FragmentsGiveTheExactProduct) {
  for (const MmaTile &tile : allTiles()) {
    SCOPED_TRACE(describe(tile));
    std::map<Coordinates, int64_t> product;
    simulate(tile, GetParam(), product);
    ASSERT_FALSE(HasFatalFailure());
    ASSERT_EQ(product.size(), static_cast<size_t>(tile.m) * tile.n);
    for (const auto &[element, found] : product) {
      int64_t expected = 0;
      for (int k = 0; k != tile.k; ++k)
        expected += lhsValue({element[0], k}) * rhsValue({k, element[1]});
      ASSERT_EQ(found, expected) << element[0] << ", " << element[1];
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Depth, MmaProductTest, testing::Values(16, 8));

TEST(MmaTileTest, EveryLayoutHoldsEveryElementOnceUpToZeroBases) {
  for (const MmaTile &tile : allTiles()) {
    SCOPED_TRACE(describe(tile));
    int warps = tile.warpsM * tile.warpsN * tile.warpsK;
    expectCovers(tile.lhs(), {tile.m, tile.k}, warps);
    expectCovers(tile.rhs(), {tile.k, tile.n}, warps);
    expectCovers(tile.accumulator(), {tile.m, tile.n}, warps);
  }
}

TEST(MmaTileTest, WarpsThatShareKHoldTheSamePlaces) {
  for (const MmaTile &tile : allTiles()) {
    int apart = tile.warpsM * tile.warpsN;
    for (const Layout &layout : {tile.lhs(), tile.rhs(), tile.accumulator()})
      for (int part = 1; part != tile.warpsK; ++part)
        for (int warp = 0; warp != apart; ++warp)
          ASSERT_EQ(layout.at(0, 0, warp), layout.at(0, 0, warp + apart * part)) << describe(tile);
  }
}

// Eight elements of a 16-bit type.
TEST(MmaTileTest, OperandsComeInPiecesOf16BytesAlongK) {
  for (const MmaTile &tile : allTiles()) {
    int expected = tile.k >= 32 ? 8 : 4;
    EXPECT_EQ(tile.kVector(), expected);
    EXPECT_GE(tile.lhs().contiguousRegisters(1), expected) << describe(tile);
    EXPECT_GE(tile.rhs().contiguousRegisters(0), expected) << describe(tile);
  }
}

TEST(MmaTileTest, ProductsComeInUpToEightConsecutiveColumns) {
  for (const MmaTile &tile : allTiles()) {
    int columns = tile.n / tile.warpsN;
    int expected = columns >= 32 ? 8 : columns / 4;
    EXPECT_GE(tile.accumulator().contiguousRegisters(1), expected) << describe(tile);
  }
}

/// The elements of k that take part in each instruction of one accumulator fragment, in order.
std::vector<std::vector<int>> orderOfK(const MmaTile &tile, int depth) {
  Layout lhs = tile.lhs();
  std::vector<MmaFragments> instructions =
      mmaInstructions(lhs, tile.rhs(), tile.accumulator(), depth);
  std::vector<std::vector<int>> order;
  for (const MmaFragments &fragments : instructions) {
    if (fragments.accumulator != instructions.front().accumulator)
      continue;
    std::vector<int> elements;
    for (int lane = 0; lane != 4; ++lane)
      for (int reg : fragments.lhs)
        elements.push_back(lhs.at(reg, lane)[1]);
    order.push_back(elements);
  }
  return order;
}

TEST(MmaTileTest, OrderOfKDependsOnItsDepthAlone) {
  for (int depth : {16, 8})
    for (const MmaTile &tile : allTiles())
      ASSERT_EQ(orderOfK(tile, depth), orderOfK({16, 8, tile.k}, depth)) << describe(tile);
}

/// A tile that is at least 32 deep takes its elements 32 by 32, so that 128 elements are added in
/// one order whether they come in tiles of 32, 64 or 128.
TEST(MmaTileTest, OrderOfKIsThatOfTilesOf32) {
  for (int depth : {16, 8}) {
    auto first = orderOfK({16, 8, 32}, depth);
    auto all = orderOfK({16, 8, 128}, depth);
    ASSERT_EQ(all.size(), 4 * first.size());
    for (size_t i = 0; i != all.size(); ++i)
      for (size_t j = 0; j != all[i].size(); ++j)
        EXPECT_EQ(all[i][j], first[i % first.size()][j] + 32 * static_cast<int>(i / first.size()));
  }
}

TEST(MmaTileTest, SaysWhyThereIsNoLayout) {
  EXPECT_EQ((MmaTile{8, 8, 16}.problem()), "expected a power of two of at least 16 rows, got 8");
  EXPECT_EQ((MmaTile{32, 8, 16, 4}.problem()),
            "expected a power of two of at least 64 rows for 4 warps, got 32");
  EXPECT_EQ((MmaTile{16, 12, 16}.problem()),
            "expected a power of two of at least 8 columns, got 12");
  EXPECT_EQ((MmaTile{16, 8, 16, 1, 2}.problem()),
            "expected a power of two of at least 16 columns for 2 warps, got 8");
  EXPECT_EQ((MmaTile{16, 8, 8}.problem()),
            "expected a power of two of at least 16 elements along k, got 8");
  EXPECT_EQ((MmaTile{16, 8, 16}.problem()), "");
}

} // namespace
