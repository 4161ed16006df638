//===- ClusterTest.cpp - Blocks that use each other's shared memory -------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelTest.h"

namespace lora::emulator {
namespace {

/// Kernels of 32 threads and of clusters of 4 blocks. Lines 2 to 8 of the source define %rank, the
/// blocks' number in the cluster, %block, the number in the grid, %next, the rank that follows, and
/// %mine, the thread's word in shared memory.
class ClusterTest : public KernelTest {
protected:
  static constexpr int clusterBlocks = 4;

  static KernelSource source(const std::string &body, int threads = 32) {
    return {.arguments = "%p: !llvm.ptr<1>",
            .body = R"(
    %c1 = arith.constant 1 : i32
    %c3 = arith.constant 3 : i32
    %rank = nvvm.read.ptx.sreg.cluster.ctarank : i32
    %block = nvvm.read.ptx.sreg.ctaid.x : i32
    %s = simt.shared 0
    %mine = llvm.getelementptr %s[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %rank1 = arith.addi %rank, %c1 : i32
    %next = arith.andi %rank1, %c3 : i32
    )" + body,
            .threads = threads,
            .sharedBytes = 4096,
            .attributes = ", simt.cluster = 4 : i32"};
  }

  std::string tryCluster(const std::string &body, int threads = 32, uint64_t seed = 0) {
    return tryRun(source(body, threads), {.grid = {2 * clusterBlocks, 1, 1}, .seed = seed}, 1024);
  }

  /// Expects the same error, whatever the order of threads.
  void expectError(const std::string &body, std::initializer_list<const char *> parts,
                   int threads = 32) {
    for (uint64_t seed = 0; seed < 6; ++seed)
      expectHolds(tryCluster(body, threads, seed), parts);
  }
};

TEST_F(ClusterTest, EveryBlockAddsWhatAllPush) {
  const std::string body = R"(
    simt.cluster_arrive relaxed
    %c64 = arith.constant 64 : i32
    %slotIndex = arith.muli %rank, %c64 : i32
    %slotThread = arith.addi %slotIndex, %tid : i32
    %slot = llvm.getelementptr %s[%slotThread] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    simt.cluster_wait
    %c0 = arith.constant 0 : i32
    %c4 = arith.constant 4 : i32
    scf.for %i = %c0 to %c4 step %c1 : i32 {
      %sum = arith.addi %rank, %i : i32
      %to = arith.andi %sum, %c3 : i32
      %remote = simt.peer %slot, %to : !llvm.ptr<7>
      simt.store %slotThread, %remote : i32, !llvm.ptr<7>
    }
    simt.cluster_arrive
    simt.cluster_wait
    %total = scf.for %i = %c0 to %c4 step %c1 iter_args(%t = %c0) -> i32 : i32 {
      %at = arith.muli %i, %c64 : i32
      %word = arith.addi %at, %tid : i32
      %from = llvm.getelementptr %s[%word] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
      %v = simt.load %from : !llvm.ptr<3> -> i32
      %u = arith.addi %t, %v : i32
      scf.yield %u : i32
    }
    %o = arith.muli %block, %c64 : i32
    %out = arith.addi %o, %tid : i32
    %y = llvm.getelementptr %p[%out] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    simt.store %total, %y : i32, !llvm.ptr<1>)";
  for (uint64_t seed = 0; seed < 10; ++seed) {
    ASSERT_EQ(tryCluster(body, 64, seed), "");
    for (int block = 0; block < 2 * clusterBlocks; ++block)
      for (int thread = 0; thread < 64; ++thread)
        ASSERT_EQ(memory[block * 64 + thread], 64 * (0 + 1 + 2 + 3) + 4 * thread);
  }
}

/// Reads the same word of the block that follows as %v.
const std::string readNext = R"(
    %remote = simt.peer %mine, %next : !llvm.ptr<7>
    %v = simt.load %remote : !llvm.ptr<7> -> i32)";

const std::string barrier = R"(
    simt.cluster_arrive
    simt.cluster_wait)";

const std::string writeMine = R"(
    simt.store %rank, %mine : i32, !llvm.ptr<3>)";

TEST_F(ClusterTest, BlocksReadAPeer) {
  const std::string body = writeMine + barrier + readNext + barrier + R"(
    %y = llvm.getelementptr %p[%block] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %c0 = arith.constant 0 : i32
    %first = arith.cmpi eq, %tid, %c0 : i32
    simt.store %v, %y if %first : i32, !llvm.ptr<1>)";
  for (uint64_t seed = 0; seed < 6; ++seed) {
    ASSERT_EQ(tryCluster(body, 32, seed), "");
    for (int block = 0; block < 2 * clusterBlocks; ++block)
      EXPECT_EQ(memory[block], (block + 1) % clusterBlocks);
  }
}

TEST_F(ClusterTest, LetsABarrierOfTheBlockPassOnWhatIsKnownOfPeers) {
  // Warp 1 only arrives; what warp 0 learned by waiting comes to it through the block's barrier.
  EXPECT_EQ(tryCluster(writeMine + R"(
    simt.cluster_arrive
    %c32 = arith.constant 32 : i32
    %isWarp0 = arith.cmpi ult, %tid, %c32 : i32
    scf.if %isWarp0 {
      simt.cluster_wait
    }
    simt.barrier)" + readNext +
                           R"(
    simt.barrier
    scf.if %isWarp0 {
      simt.cluster_arrive
      simt.cluster_wait
    } else {
      simt.cluster_wait
      simt.cluster_arrive
    })",
                       64),
            "");
}

TEST_F(ClusterTest, ReturnedThreadsCountAsArrived) {
  EXPECT_EQ(tryCluster(R"(
    %c64 = arith.constant 64 : i32
    %stays = arith.cmpi ult, %tid, %c64 : i32
    scf.if %stays {
      simt.cluster_arrive
      simt.cluster_wait
      simt.cluster_arrive
      simt.cluster_wait
    })",
                       128),
            "");
}

TEST_F(ClusterTest, IsOneBlockWithoutTheAttribute) {
  KernelSource source = ClusterTest::source(writeMine + R"(
    simt.cluster_arrive
    simt.cluster_wait
    %self = simt.peer %mine, %rank : !llvm.ptr<7>
    %v = simt.load %self : !llvm.ptr<7> -> i32)");
  source.attributes = "";
  EXPECT_EQ(tryRun(source, {.grid = {3, 1, 1}}), "");
}

TEST_F(ClusterTest, APeerMightNotHaveStarted) {
  expectError(R"(
    %remote = simt.peer %mine, %next : !llvm.ptr<7>
    simt.store %tid, %remote : i32, !llvm.ptr<7>
    simt.cluster_arrive
    simt.cluster_wait)",
              {"simt.store at kernel.mlir:12:5, block (", ", 0, 0), thread ",
               "the shared memory of block (",
               ", which is not known to have started: no simt.cluster_wait comes before"});
}

TEST_F(ClusterTest, ArrivingDoesNotShowThatPeersStarted) {
  expectError("\n simt.cluster_arrive" + readNext + "\n simt.cluster_wait" + barrier,
              {"simt.load at kernel.mlir:13:10", "which is not known to have started"});
}

TEST_F(ClusterTest, APeerMightHaveLeft) {
  expectError(writeMine + barrier + readNext,
              {"simt.load at kernel.mlir:15:10, block (", ", 0, 0), thread ",
               "the shared memory of block (", "left the cluster"});
}

TEST_F(ClusterTest, APeerHasLeft) {
  // Returned threads count as arrived, so that block 0 is gone for sure.
  expectError(R"(
    simt.cluster_arrive
    simt.cluster_wait
    %isLast = arith.cmpi eq, %rank, %c3 : i32
    scf.if %isLast {
      simt.cluster_arrive
      simt.cluster_wait
      %remote = simt.peer %mine, %next : !llvm.ptr<7>
      simt.store %tid, %remote : i32, !llvm.ptr<7>
    })",
              {"simt.store at kernel.mlir:18:7, block (", "the shared memory of block (",
               ", which has left the cluster"});
}

TEST_F(ClusterTest, ARelaxedArriveDoesNotRelease) {
  expectError(writeMine + R"(
    simt.cluster_arrive relaxed
    simt.cluster_wait)" +
                  readNext + barrier,
              {"simt.load at kernel.mlir:15:10, block (",
               "race: not ordered after the write of the same bytes by simt.store at "
               "kernel.mlir:11:5 in thread ",
               " of block ("});
}

TEST_F(ClusterTest, ABarrierOfTheBlockDoesNotOrderPeers) {
  // The write or the read comes first, as the seed decides; neither is ordered after the other.
  expectError(writeMine + barrier + writeMine + "\n simt.barrier" + readNext + barrier,
              {" at kernel.mlir:1", "race: not ordered after the ", " of the same bytes by simt.",
               " of block ("});
}

TEST_F(ClusterTest, TwoBlocksWriteTheSamePlace) {
  expectError(barrier + R"(
    %c0 = arith.constant 0 : i32
    %remote = simt.peer %mine, %c0 : !llvm.ptr<7>
    simt.store %tid, %remote : i32, !llvm.ptr<7>)" +
                  barrier,
              {"simt.store at kernel.mlir:15:5, block (",
               "race: not ordered after the write of the same bytes by simt.store at "
               "kernel.mlir:15:5 in thread ",
               " of block ("});
}

TEST_F(ClusterTest, ReadsWhatNobodyWrote) {
  expectError(barrier + readNext + barrier,
              {"simt.load at kernel.mlir:14:10, block (", "reads bytes that nobody has written"});
}

TEST_F(ClusterTest, RankOutOfRange) {
  expectError(barrier + R"(
    %c4 = arith.constant 4 : i32
    %remote = simt.peer %mine, %c4 : !llvm.ptr<7>)",
              {"simt.peer at kernel.mlir:14:15, block (", "rank 4 in a cluster of 4 blocks"});
}

TEST_F(ClusterTest, OffsetOutOfRange) {
  expectError(barrier + R"(
    %remote = simt.peer %s, %next : !llvm.ptr<7>
    %far = llvm.getelementptr %remote[4096] : (!llvm.ptr<7>) -> !llvm.ptr<7>, i8
    simt.store %tid, %far : i32, !llvm.ptr<7>)" +
                  barrier,
              {"simt.store at kernel.mlir:15:5",
               "4 bytes at byte 4096 of shared memory, which has 4096 bytes"});
  expectError(barrier + R"(
    %remote = simt.peer %s, %next : !llvm.ptr<7>
    %low = llvm.getelementptr %remote[-4] : (!llvm.ptr<7>) -> !llvm.ptr<7>, i8
    simt.store %tid, %low : i32, !llvm.ptr<7>)" +
                  barrier,
              {"4 bytes at byte -4 of shared memory"});
}

TEST_F(ClusterTest, ArrivesTwice) {
  expectError(R"(
    simt.cluster_arrive
    simt.cluster_arrive
    simt.cluster_wait)",
              {"simt.cluster_arrive at kernel.mlir:12:5, block (",
               "arrives at the cluster barrier again, with no simt.cluster_wait in between"});
}

TEST_F(ClusterTest, WaitsWithoutArriving) {
  expectError("\n simt.cluster_wait", {"simt.cluster_wait at kernel.mlir:11:2, block (",
                                       "waits at the cluster barrier with no simt.cluster_arrive "
                                       "before"});
}

TEST_F(ClusterTest, LanesThatDoNotArrive) {
  expectError(R"(
    %half = arith.cmpi ult, %tid, %c3 : i32
    scf.if %half {
      simt.cluster_arrive
    })",
              {"simt.cluster_arrive at kernel.mlir:13:7, block (",
               ", thread 0: ", "warp-wide op without all its lanes: block (",
               ", 0, 0): warp 0 (lanes 0-2 at simt.cluster_arrive kernel.mlir:13:7, lanes 3-31 "
               "returned); block ("});
}

TEST_F(ClusterTest, ABlockStaysAtItsOwnBarrier) {
  const std::string body = R"(
    %c32 = arith.constant 32 : i32
    %isWarp0 = arith.cmpi ult, %tid, %c32 : i32
    %isBlock0 = arith.cmpi eq, %block, %c3 : i32
    %differs = arith.andi %isWarp0, %isBlock0 : i1
    scf.if %differs {
      simt.barrier
    }
    simt.cluster_arrive
    simt.cluster_wait)";
  expectError(body,
              {"simt.barrier at kernel.mlir:16:7, block (3, 0, 0), thread 0: barrier divergence: "
               "not all threads of the block wait here: "
               "block (0, 0, 0): warps 0-1 at simt.cluster_wait kernel.mlir:19:5; ",
               "block (3, 0, 0): warp 0 at simt.barrier kernel.mlir:16:7, warp 1 at "
               "simt.cluster_wait kernel.mlir:19:5"},
              64);
}

TEST_F(ClusterTest, GridIsOfWholeClusters) {
  EXPECT_EQ(
      tryRun(source(barrier), {.grid = {6, 1, 1}}),
      "expected a multiple of 4, the blocks of a cluster, as the grid's extent along x, got 6");
  KernelSource huge = source(barrier);
  huge.attributes = ", simt.cluster = 17 : i32";
  EXPECT_EQ(compile(text(huge)), "kernel 'k': expected simt.cluster in 1 to 16, got 17");
}

} // namespace
} // namespace lora::emulator
