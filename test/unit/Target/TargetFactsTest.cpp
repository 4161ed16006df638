//===- TargetFactsTest.cpp - Tests of the table of targets ----------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Target/TargetFacts.h"

#include "lora/Support/Error.h"

#include <gtest/gtest.h>

using namespace lora;

namespace {

TEST(TargetFactsTest, FindsEveryTargetByItsName) {
  for (const char *name : {"sm_80", "sm_86", "sm_89", "sm_90a", "sm_100a", "sm_120a"})
    EXPECT_EQ(findTarget(name).name, name);
  EXPECT_EQ(allTargets().size(), 6u);
}

TEST(TargetFactsTest, ListsTheKnownTargetsForAnUnknownOne) {
  for (const char *name : {"", "sm_70", "sm_90", "SM_80"})
    try {
      findTarget(name);
      ADD_FAILURE() << name << " was found";
    } catch (const Error &error) {
      EXPECT_EQ(std::string(error.what()),
                "unknown architecture '" + std::string(name) +
                    "': expected one of sm_80, sm_86, sm_89, sm_90a, sm_100a, sm_120a");
    }
}

TEST(TargetFactsTest, ABlockMayUseAllSharedMemoryButTheReserved) {
  for (const TargetFacts &target : allTargets())
    EXPECT_EQ(target.sharedBytesPerBlock + TargetFacts::kReservedSharedBytes,
              target.sharedBytesPerSM)
        << target.name;
}

TEST(TargetFactsTest, ClustersAreOfUpToSixteenBlocks) {
  for (const char *name : {"sm_80", "sm_86", "sm_89"}) {
    EXPECT_EQ(findTarget(name).clusterBlocks, 1u) << name;
    EXPECT_FALSE(findTarget(name).hasClusters()) << name;
  }
  for (const char *name : {"sm_90a", "sm_100a", "sm_120a"})
    EXPECT_TRUE(findTarget(name).hasClusters()) << name;
  EXPECT_EQ(findTarget("sm_90a").clusterBlocks, 16u);
  EXPECT_EQ(findTarget("sm_100a").clusterBlocks, 16u);
  EXPECT_EQ(findTarget("sm_120a").clusterBlocks, 8u);
}

TEST(OccupancyTest, IsLimitedByThreads) {
  EXPECT_EQ(findTarget("sm_90a").occupancy(128, 32, 0), 16u);
  EXPECT_EQ(findTarget("sm_86").occupancy(128, 32, 0), 12u);
  EXPECT_EQ(findTarget("sm_90a").occupancy(1024, 32, 0), 2u);
  EXPECT_EQ(findTarget("sm_86").occupancy(1024, 32, 0), 1u);
}

TEST(OccupancyTest, IsLimitedByBlocks) {
  EXPECT_EQ(findTarget("sm_80").occupancy(32, 16, 0), 32u);
  EXPECT_EQ(findTarget("sm_86").occupancy(32, 16, 0), 16u);
  EXPECT_EQ(findTarget("sm_89").occupancy(32, 16, 0), 24u);
}

// A quarter of the multiprocessor has 16384 registers, and a warp takes multiples of 256.
TEST(OccupancyTest, IsLimitedByRegisters) {
  const TargetFacts &target = findTarget("sm_90a");
  EXPECT_EQ(target.occupancy(128, 255, 0), 2u);  // 8192 a warp: 2 a quarter
  EXPECT_EQ(target.occupancy(128, 168, 0), 3u);  // 5376 a warp: 3 a quarter
  EXPECT_EQ(target.occupancy(128, 128, 0), 4u);  // 4096 a warp: 4 a quarter
  EXPECT_EQ(target.occupancy(128, 33, 0), 12u);  // 1280 a warp: 12 a quarter
  EXPECT_EQ(target.occupancy(64, 200, 0), 4u);   // 6400 a warp: 2 a quarter, not 10 in all
  EXPECT_EQ(target.occupancy(256, 168, 0), 1u);  // 12 warps
  EXPECT_EQ(target.occupancy(1024, 168, 0), 0u); // 12 warps of 32
}

// The driver takes 1024 bytes of each block, and a block multiples of 128.
TEST(OccupancyTest, IsLimitedBySharedMemory) {
  const TargetFacts &target = findTarget("sm_90a");
  EXPECT_EQ(target.occupancy(128, 32, 48 * 1024), 4u);
  EXPECT_EQ(target.occupancy(128, 32, 75 * 1024), 3u);
  EXPECT_EQ(target.occupancy(128, 32, 75 * 1024 + 1), 2u);
  EXPECT_EQ(target.occupancy(128, 32, 227 * 1024), 1u);
  EXPECT_EQ(target.occupancy(128, 32, 227 * 1024 + 1), 0u);
  EXPECT_EQ(findTarget("sm_86").occupancy(128, 32, 99 * 1024), 1u);
  EXPECT_EQ(findTarget("sm_86").occupancy(128, 32, 100 * 1024), 0u);
}

TEST(OccupancyTest, AWarpThatIsNotFullCountsAsOne) {
  const TargetFacts &target = findTarget("sm_90a");
  EXPECT_EQ(target.occupancy(33, 128, 0), target.occupancy(64, 128, 0));
}

} // namespace
