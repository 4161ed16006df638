//===- ReductionTreeTest.cpp - Tests of the canonical order of a sum ------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Support/ReductionTree.h"

#include "lora/Support/Integers.h"

#include <gtest/gtest.h>

#include <bit>
#include <vector>

using namespace lora;

namespace {

const std::vector<int64_t> kExtents = {0,        1,     15,    127,     128,
                                       129,      255,   256,   257,     511,
                                       512,      1000,  1024,  2048,    2049,
                                       4095,     4096,  4097,  5120,    8191,
                                       16384,    28672, 53248, 1 << 20, INT32_MAX - 127,
                                       INT32_MAX};

TEST(ReductionTreeTest, LeavesArePowersOfTwoUpToTheUnits) {
  for (int64_t extent : kExtents) {
    int64_t leaves = ReductionTree(extent).leaves();
    EXPECT_TRUE(std::has_single_bit(static_cast<uint64_t>(leaves))) << extent;
    EXPECT_LE(leaves, ReductionTree::kMaxLeaves) << extent;
    EXPECT_LE(leaves, std::max<int64_t>(1, ceilDiv(extent, ReductionTree::kUnit))) << extent;
  }
}

TEST(ReductionTreeTest, LeavesCoverTheExtentInOrder) {
  for (int64_t extent : kExtents) {
    ReductionTree tree(extent);
    EXPECT_EQ(tree.leafBegin(0), 0);
    EXPECT_EQ(tree.leafBegin(tree.leaves()), extent);
    for (int64_t leaf = 0; leaf != tree.leaves(); ++leaf) {
      EXPECT_EQ(tree.leafBegin(leaf) % ReductionTree::kUnit, 0) << extent;
      EXPECT_LE(tree.leafBegin(leaf), tree.leafBegin(leaf + 1)) << extent;
    }
  }
}

TEST(ReductionTreeTest, LeavesDifferByAtMostOneUnit) {
  for (int64_t extent : kExtents) {
    ReductionTree tree(extent);
    int64_t least = INT64_MAX, most = 0;
    for (int64_t leaf = 0; leaf != tree.leaves(); ++leaf) {
      int64_t units =
          ceilDiv(tree.leafBegin(leaf + 1) - tree.leafBegin(leaf), ReductionTree::kUnit);
      least = std::min(least, units);
      most = std::max(most, units);
    }
    EXPECT_LE(most - least, 1) << extent;
  }
}

TEST(ReductionTreeTest, PartsCoverTheLeavesInOrder) {
  for (int64_t extent : kExtents) {
    ReductionTree tree(extent);
    for (int64_t parts = 1; parts <= 64; parts *= 2) {
      EXPECT_EQ(tree.partBegin(0, parts), 0);
      EXPECT_EQ(tree.partBegin(parts, parts), tree.leaves());
      for (int64_t part = 0; part != parts; ++part)
        EXPECT_LE(tree.partBegin(part, parts), tree.partBegin(part + 1, parts));
    }
  }
}

// A part that is not empty is a node of the tree: its size is a power of two, its begin a multiple.
TEST(ReductionTreeTest, PartsAreSubtrees) {
  for (int64_t extent : kExtents) {
    ReductionTree tree(extent);
    for (int64_t parts = 1; parts <= 64; parts *= 2)
      for (int64_t part = 0; part != parts; ++part) {
        int64_t begin = tree.partBegin(part, parts), size = tree.partBegin(part + 1, parts) - begin;
        if (size == 0)
          continue;
        EXPECT_EQ(size, std::max<int64_t>(1, tree.leaves() / parts)) << extent << " " << parts;
        EXPECT_EQ(begin % size, 0) << extent << " " << parts;
      }
  }
}

/// The text of the sum over `leaves` leaves, as a part of the tree adds it up.
std::string sumText(const std::vector<std::string> &leaves) {
  std::vector<std::string> nodes = leaves;
  while (nodes.size() > 1) {
    std::vector<std::string> sums;
    for (size_t i = 0; i < nodes.size(); i += 2)
      sums.push_back(nodes[i].empty()       ? nodes[i + 1]
                     : nodes[i + 1].empty() ? nodes[i]
                                            : "(" + nodes[i] + "+" + nodes[i + 1] + ")");
    nodes = sums;
  }
  return nodes.front();
}

// Parts are summed on their own and then combined by a tree of parts; an empty part counts as zero.
TEST(ReductionTreeTest, SharingTheSumDoesNotChangeItsOrder) {
  for (int64_t extent : {1, 300, 1000, 2048, 4096, 8192, 16384}) {
    ReductionTree tree(extent);
    std::vector<std::string> leaves;
    for (int64_t leaf = 0; leaf != tree.leaves(); ++leaf)
      leaves.push_back(std::to_string(leaf));
    const std::string whole = sumText(leaves);
    for (int64_t parts = 1; parts <= ReductionTree::kMaxLeaves; parts *= 2) {
      std::vector<std::string> sums;
      for (int64_t part = 0; part != parts; ++part) {
        auto begin = leaves.begin() + tree.partBegin(part, parts);
        auto end = leaves.begin() + tree.partBegin(part + 1, parts);
        sums.push_back(begin == end ? "" : sumText({begin, end}));
      }
      EXPECT_EQ(sumText(sums), whole) << extent << " in " << parts;
    }
  }
}

TEST(ReductionTreeTest, SmallExtents) {
  EXPECT_EQ(ReductionTree(0).leaves(), 1);
  EXPECT_EQ(ReductionTree(0).leafBegin(1), 0);
  EXPECT_EQ(ReductionTree(1).leaves(), 1);
  EXPECT_EQ(ReductionTree(1).leafBegin(1), 1);
  EXPECT_EQ(ReductionTree(128).leaves(), 1);
  EXPECT_EQ(ReductionTree(129).leaves(), 2);
}

// 17 units in 16 leaves: the last leaf has one unit and the single element of another.
TEST(ReductionTreeTest, OneElementBeyondAPowerOfTwo) {
  ReductionTree tree(2049);
  EXPECT_EQ(tree.leaves(), 16);
  EXPECT_EQ(tree.leafBegin(15), 15 * 128);
  EXPECT_EQ(tree.leafBegin(16), 2049);
}

// 28672 elements are 224 units: leaves have 3 or 4.
TEST(ReductionTreeTest, LongExtentsHave64Leaves) {
  EXPECT_EQ(ReductionTree(8191).leaves(), 64);
  EXPECT_EQ(ReductionTree(8064).leaves(), 32);
  ReductionTree tree(28672);
  EXPECT_EQ(tree.leaves(), 64);
  EXPECT_EQ(tree.leafBegin(1), 3 * 128);
  EXPECT_EQ(tree.leafBegin(2), 7 * 128);
}

TEST(ReductionTreeTest, IsAConstantExpression) {
  static_assert(ReductionTree(4096).leaves() == 32);
  static_assert(ReductionTree(4096).leafBegin(31) == 31 * 128);
  static_assert(ReductionTree(4096).partBegin(3, 4) == 24);
}

} // namespace
