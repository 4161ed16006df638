//===- MbarrierTest.cpp - Stores that an mbarrier of a peer counts --------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelTest.h"

namespace lora::emulator {
namespace {

/// Kernels whose data has the first 8192 bytes of shared memory and whose mbarrier, %bar, the next
/// 8. Lines 2 to 13 of the source define %rank, the block's number in the cluster, %block, the
/// number in the grid, %mine, the thread's word in shared memory, %first, that this is thread 0,
/// and %remote and %remoteBar, the places of %mine and %bar in the block that follows.
class MbarrierTest : public KernelTest {
protected:
  static KernelSource source(const std::string &body, int threads, int clusterBlocks) {
    return {.arguments = "%p: !llvm.ptr<1>",
            .body = R"(
    %c0 = arith.constant 0 : i32
    %mask = arith.constant )" +
                    std::to_string(clusterBlocks - 1) + R"( : i32
    %c1 = arith.constant 1 : i32
    %rank = nvvm.read.ptx.sreg.cluster.ctarank : i32
    %block = nvvm.read.ptx.sreg.ctaid.x : i32
    %s = simt.shared 0
    %bar = simt.shared 8192
    %mine = llvm.getelementptr %s[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %first = arith.cmpi eq, %tid, %c0 : i32
    %rank1 = arith.addi %rank, %c1 : i32
    %next = arith.andi %rank1, %mask : i32
    %remote = simt.peer %mine, %next : !llvm.ptr<7>
    %remoteBar = simt.peer %bar, %next : !llvm.ptr<7>)" +
                    body,
            .threads = threads,
            .sharedBytes = 8192 + 64,
            .attributes = ", simt.cluster = " + std::to_string(clusterBlocks) + " : i32"};
  }

  std::string tryCluster(const std::string &body, int threads = 32, int clusterBlocks = 4,
                         uint64_t seed = 0) {
    return tryRun(source(body, threads, clusterBlocks),
                  {.grid = {static_cast<uint32_t>(2 * clusterBlocks), 1, 1}, .seed = seed}, 1024);
  }

  void expectCorrect(const std::string &body, int threads = 32) {
    for (uint64_t seed = 0; seed < 8; ++seed)
      EXPECT_EQ(tryCluster(body, threads, 4, seed), "");
  }

  /// Expects the same error, whatever the order of threads.
  void expectError(const std::string &body, std::initializer_list<const char *> parts,
                   int threads = 32) {
    for (uint64_t seed = 0; seed < 8; ++seed)
      expectHolds(tryCluster(body, threads, 4, seed), parts);
  }
};

/// Line 15.
const std::string init = R"(
    simt.mbarrier_init %bar, 128 if %first)";

const std::string meet = R"(
    simt.cluster_arrive relaxed
    simt.cluster_wait)";

const std::string send = R"(
    simt.store_async %rank, %remote, %remoteBar : i32, !llvm.ptr<7>)";

const std::string wait = R"(
    simt.mbarrier_wait %bar)";

const std::string read = R"(
    %v = simt.load %mine : !llvm.ptr<3> -> i32)";

/// What of all blocks is in slot `rank` of 256 bytes is added up and written, by each thread.
const std::string addUp = R"(
    %total = scf.for %i = %c0 to %blocks step %c1 iter_args(%t = %c0) -> i32 : i32 {
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

static std::string counts(int clusterBlocks) {
  return R"(
    %c64 = arith.constant 64 : i32
    %blocks = arith.constant )" +
         std::to_string(clusterBlocks) + R"( : i32
    %slotStart = arith.muli %rank, %c64 : i32
    %slotThread = arith.addi %slotStart, %tid : i32)";
}

TEST_F(MbarrierTest, EveryBlockAddsWhatAllSend) {
  for (int clusterBlocks : {2, 8}) {
    const std::string bytes = std::to_string(clusterBlocks * 64 * 4);
    // The barrier of the cluster is split, so that work can go on between its halves.
    const std::string body = "\n simt.mbarrier_init %bar, " + bytes + R"( if %first
    simt.cluster_arrive relaxed)" +
                             counts(clusterBlocks) + R"(
    %slot = llvm.getelementptr %s[%slotThread] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    simt.cluster_wait
    scf.for %i = %c0 to %blocks step %c1 : i32 {
      %sum = arith.addi %rank, %i : i32
      %to = arith.andi %sum, %mask : i32
      %there = simt.peer %slot, %to : !llvm.ptr<7>
      %thereBar = simt.peer %bar, %to : !llvm.ptr<7>
      simt.store_async %slotThread, %there, %thereBar : i32, !llvm.ptr<7>
    }
    simt.mbarrier_wait %bar)" +
                             addUp;
    for (uint64_t seed = 0; seed < 10; ++seed) {
      ASSERT_EQ(tryCluster(body, 64, clusterBlocks, seed), "");
      for (int block = 0; block < 2 * clusterBlocks; ++block)
        for (int thread = 0; thread < 64; ++thread)
          ASSERT_EQ(memory[block * 64 + thread],
                    64 * clusterBlocks * (clusterBlocks - 1) / 2 + clusterBlocks * thread);
    }
  }
}

TEST_F(MbarrierTest, OneBlockAddsWhatAllSendAndTheOthersEnd) {
  for (int clusterBlocks : {2, 8}) {
    const std::string bytes = std::to_string(clusterBlocks * 64 * 4);
    // 16 threads send 16 bytes each. One thread waits, the barrier passes it on.
    const std::string body = counts(clusterBlocks) + R"(
    %last = arith.cmpi eq, %rank, %mask : i32
    %prepares = arith.andi %last, %first : i1
    simt.mbarrier_init %bar, )" +
                             bytes + R"( if %prepares
    simt.cluster_arrive relaxed
    %c4 = arith.constant 4 : i32
    %c16 = arith.constant 16 : i32
    %sends = arith.cmpi ult, %tid, %c16 : i32
    %firstWord = arith.muli %tid, %c4 : i32
    %word0 = arith.addi %slotStart, %firstWord : i32
    %broadcast = vector.broadcast %word0 : i32 to vector<4xi32>
    %steps = arith.constant dense<[0, 1, 2, 3]> : vector<4xi32>
    %value = arith.addi %broadcast, %steps : vector<4xi32>
    %slot = llvm.getelementptr %s[%word0] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %there = simt.peer %slot, %mask : !llvm.ptr<7>
    %thereBar = simt.peer %bar, %mask : !llvm.ptr<7>
    simt.cluster_wait
    simt.store_async %value, %there, %thereBar if %sends : vector<4xi32>, !llvm.ptr<7>
    scf.if %last {
      scf.if %first {
        simt.mbarrier_wait %bar
      }
      simt.barrier)" + addUp +
                             R"(
    })";
    for (uint64_t seed = 0; seed < 10; ++seed) {
      ASSERT_EQ(tryCluster(body, 64, clusterBlocks, seed), "");
      for (int block : {clusterBlocks - 1, 2 * clusterBlocks - 1})
        for (int thread = 0; thread < 64; ++thread)
          ASSERT_EQ(memory[block * 64 + thread],
                    64 * clusterBlocks * (clusterBlocks - 1) / 2 + clusterBlocks * thread);
    }
  }
}

TEST_F(MbarrierTest, ABlockSendsToItself) {
  // What orders its threads is enough, and there may be no cluster.
  KernelSource source = MbarrierTest::source(init + R"(
    simt.barrier
    %own = simt.peer %mine, %rank : !llvm.ptr<7>
    %ownBar = simt.peer %bar, %rank : !llvm.ptr<7>
    simt.store_async %tid, %own, %ownBar : i32, !llvm.ptr<7>)" +
                                                 wait + read,
                                             32, 1);
  source.attributes = "";
  EXPECT_EQ(tryRun(source, {.grid = {3, 1, 1}}), "");
}

TEST_F(MbarrierTest, IsUsedAgainOnlyToWait) {
  expectCorrect(init + meet + send + wait + read + wait);
}

TEST_F(MbarrierTest, AFalsePredicateDoesNothing) {
  expectCorrect(init + meet + R"(
    %no = arith.constant false
    %bad = simt.shared 5
    %badRemote = simt.peer %bad, %next : !llvm.ptr<7>
    simt.mbarrier_init %bad, 8 if %no
    simt.store_async %rank, %badRemote, %badRemote if %no : i32, !llvm.ptr<7>)" +
                send + wait);
}

TEST_F(MbarrierTest, LanesWaitWhereTheyAre) {
  expectCorrect("\n    simt.mbarrier_init %bar, 124 if %first" + meet + R"(
    scf.if %first {)" +
                wait + R"(
    } else {)" + send +
                wait + R"(
    })");
}

TEST_F(MbarrierTest, Misplaced) {
  expectError(R"(
    %bad = simt.shared 8196
    simt.mbarrier_init %bad, 128 if %first)",
              {"simt.mbarrier_init at kernel.mlir:16:5, block (",
               "misaligned: an access of 8 bytes at 0x2004, which is not a multiple of 8"});
  expectError(R"(
    %bad = simt.shared 8256
    simt.mbarrier_init %bad, 128 if %first)",
              {"simt.mbarrier_init at kernel.mlir:16:5",
               "8 bytes at byte 8256 of shared memory, which has 8256 bytes"});
}

TEST_F(MbarrierTest, InitialisedTwice) {
  expectError("\n simt.mbarrier_init %bar, 128",
              {"simt.mbarrier_init at kernel.mlir:15:2, block (",
               "the mbarrier is initialised already, by simt.mbarrier_init at kernel.mlir:15:2 in "
               "thread "});
}

TEST_F(MbarrierTest, OrdinaryAccessesToItsBytes) {
  const std::initializer_list<const char *> mbarrier = {
      "the bytes are an mbarrier, of simt.mbarrier_init at kernel.mlir:15:5 in thread 0"};
  expectError(init + "\n simt.barrier\n %v = simt.load %bar : !llvm.ptr<3> -> i32", mbarrier);
  expectError(init + "\n simt.barrier\n simt.store %tid, %bar if %first : i32, !llvm.ptr<3>",
              mbarrier);
  expectError(init + R"(
    simt.barrier
    %inside = llvm.getelementptr %bar[4] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    simt.cp_async %inside, %p, 4 if %first)",
              mbarrier);
  expectError(init + meet + R"(
    %v = simt.load %remoteBar : !llvm.ptr<7> -> i64)",
              mbarrier);
  expectError(init + meet + R"(
    simt.store_async %tid, %remoteBar, %remoteBar : i32, !llvm.ptr<7>)",
              mbarrier);
}

TEST_F(MbarrierTest, EarlierAccessesToItsBytes) {
  for (uint64_t seed = 0; seed < 8; ++seed) {
    const std::string error = tryCluster(R"(
    %isOther = arith.cmpi eq, %tid, %c1 : i32
    simt.store %tid, %bar if %isOther : i32, !llvm.ptr<3>)" +
                                             init,
                                         32, 4, seed);
    EXPECT_TRUE(error.find("the bytes are an mbarrier") != std::string::npos ||
                error.find("race: not ordered after the write") != std::string::npos)
        << error;
  }
}

TEST_F(MbarrierTest, APeerMightNotHaveStarted) {
  expectError(init + send + wait,
              {"simt.store_async at kernel.mlir:16:5, block (", "the shared memory of block (",
               ", which is not known to have started: no simt.cluster_wait comes before"});
}

TEST_F(MbarrierTest, StoresToWhatIsNoMbarrier) {
  expectError(meet + send,
              {"simt.store_async at kernel.mlir:17:5, block (",
               "the mbarrier is not known to be initialised: no simt.mbarrier_init has come yet"});
}

TEST_F(MbarrierTest, InitialisedBehindTheArrive) {
  expectError(R"(
    simt.cluster_arrive)" +
                  init +
                  R"(
    simt.cluster_wait)" +
                  send + wait,
              {"simt.store_async at kernel.mlir:18:5, block (",
               "the mbarrier is not known to be initialised: no "});
}

TEST_F(MbarrierTest, StoresBeforeTheWaitThatPublishes) {
  expectError(meet + init + R"(
    simt.cluster_arrive)" +
                  send + R"(
    simt.cluster_wait)" +
                  wait,
              {"simt.store_async at kernel.mlir:19:5, block (",
               "the mbarrier is not known to be initialised: no "});
  expectCorrect(meet + init + meet + send + wait);
}

TEST_F(MbarrierTest, ABarrierOfTheBlockPassesOnThatItIsInitialised) {
  // Warp 1 sends; only warp 0 has waited for the cluster before.
  expectCorrect(init + R"(
    simt.cluster_arrive relaxed
    %c32 = arith.constant 32 : i32
    %isWarp0 = arith.cmpi ult, %tid, %c32 : i32
    scf.if %isWarp0 {
      simt.cluster_wait
    }
    simt.barrier
    scf.if %isWarp0 {
    } else {)" + send +
                    R"(
      simt.cluster_wait
    })" + wait,
                64);
}

TEST_F(MbarrierTest, TheWarpThatInitialisesReturnsInsteadOfArriving) {
  expectError(R"(
    %c32 = arith.constant 32 : i32
    %isWarp0 = arith.cmpi ult, %tid, %c32 : i32
    scf.if %isWarp0 {)" +
                  meet + send + wait + R"(
    } else {
      %isLeader = arith.cmpi eq, %tid, %c32 : i32
      simt.mbarrier_init %bar, 128 if %isLeader
    })",
              {"simt.store_async at kernel.mlir:20:5, block (",
               "the mbarrier is not known to be initialised: no barrier of the cluster orders this "
               "op after simt.mbarrier_init at kernel.mlir:24:7 in thread 32 of block ("},
              64);
}

TEST_F(MbarrierTest, WaitsForWhatIsNotInitialised) {
  // Warp 1 knows nothing of what warp 0 did.
  const std::string halves = R"(
    %c32 = arith.constant 32 : i32
    %isWarp0 = arith.cmpi ult, %tid, %c32 : i32
    scf.if %isWarp0 {)" + init +
                             R"(
    })";
  const std::string own = R"(
    %own = simt.peer %mine, %rank : !llvm.ptr<7>
    %ownBar = simt.peer %bar, %rank : !llvm.ptr<7>
    simt.store_async %rank, %own, %ownBar if %isWarp0 : i32, !llvm.ptr<7>)";
  expectCorrect(halves + "\n simt.barrier" + own + wait, 64);
  expectCorrect(halves + meet + own + wait, 64);
  expectError(halves + "\n simt.warp_barrier" + own + wait,
              {"simt.mbarrier_wait at kernel.mlir:24:5, block (",
               "the mbarrier is not known to be initialised: no "},
              64);
}

TEST_F(MbarrierTest, UsesBytesInFlight) {
  expectError(init + meet + send + R"(
    simt.cluster_arrive
    simt.cluster_wait)" +
                  read + wait,
              {"simt.load at kernel.mlir:21:10, block (",
               "the bytes are in flight: not waited for since simt.store_async at "
               "kernel.mlir:18:5 in thread ",
               " of block ("});
  expectError(init + meet + send + R"(
    simt.cluster_arrive
    simt.cluster_wait
    simt.store %tid, %mine : i32, !llvm.ptr<3>)",
              {"simt.store at kernel.mlir:21:5",
               "the bytes are in flight: not waited for since simt.store_async"});
}

TEST_F(MbarrierTest, StoresTwiceToBytesInFlight) {
  expectError("\n    simt.mbarrier_init %bar, 256 if %first" + meet + send + send + wait,
              {"simt.store_async at kernel.mlir:19:5",
               "the bytes are in flight: not waited for since simt.store_async at "
               "kernel.mlir:18:5 in thread "});
}

TEST_F(MbarrierTest, OthersNeedABarrierBehindTheWait) {
  const std::string firstWaits = R"(
    scf.if %first {)" + wait +
                                 R"(
    })";
  expectCorrect(init + meet + send + firstWaits + "\n simt.barrier" + read);
  for (uint64_t seed = 0; seed < 8; ++seed) {
    const std::string error =
        tryCluster(init + meet + send + meet + firstWaits + read, 32, 4, seed);
    expectHolds(error, {"simt.load at kernel.mlir:24:10", "simt.store_async at kernel.mlir:18:5"});
    EXPECT_TRUE(error.find("the bytes are in flight") != std::string::npos ||
                error.find("race: not ordered after the write") != std::string::npos)
        << error;
  }
}

TEST_F(MbarrierTest, OverwritesWhatThePeerStillUses) {
  // A relaxed arrive does not say that the peer's own accesses are done.
  expectError("\n    simt.store %tid, %mine : i32, !llvm.ptr<3>" + init + meet + send + wait,
              {"simt.store_async at kernel.mlir:19:5, block (",
               "race: not ordered after the write of the same bytes by simt.store at "
               "kernel.mlir:15:5 in thread "});
  expectCorrect("\n    simt.store %tid, %mine : i32, !llvm.ptr<3>" + init + R"(
    simt.cluster_arrive
    simt.cluster_wait)" +
                send + wait);
}

TEST_F(MbarrierTest, OrdersOnlyTheStoresItCounts) {
  expectError(init + R"(
    %place = llvm.getelementptr %mine[512] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %remotePlace = simt.peer %place, %next : !llvm.ptr<7>)" +
                  meet + R"(
    simt.store %rank, %remotePlace : i32, !llvm.ptr<7>)" +
                  send + wait + R"(
    %v = simt.load %place : !llvm.ptr<3> -> i32)" +
                  R"(
    simt.cluster_arrive
    simt.cluster_wait)",
              {"simt.load at kernel.mlir:23:10, block (",
               "race: not ordered after the write of the same bytes by simt.store at "
               "kernel.mlir:20:5 in thread "});
}

TEST_F(MbarrierTest, MoreBytesThanExpected) {
  expectError("\n    simt.mbarrier_init %bar, 124 if %first" + meet + send + wait,
              {"simt.store_async at kernel.mlir:18:5, block (",
               "more bytes than the mbarrier expects: 4 after 124 of 124 bytes, since "
               "simt.mbarrier_init at kernel.mlir:15:5 in thread 0 of block ("});
}

TEST_F(MbarrierTest, FewerBytesThanExpected) {
  expectError("\n    simt.mbarrier_init %bar, 132 if %first" + meet + send + wait,
              {"simt.mbarrier_wait at kernel.mlir:19:5, block (", ", 0, 0), thread 0: ",
               "deadlock: the bytes that the mbarrier expects never arrive: block (",
               ", 0, 0): warp 0 at simt.mbarrier_wait kernel.mlir:19:5 with 128 of 132 bytes; "});
}

TEST_F(MbarrierTest, ALaneThatWaitsForEverIsBlamedForItsWarp) {
  expectError("\n    simt.mbarrier_init %bar, 132 if %first" + meet + send + R"(
    scf.if %first {)" +
                  wait + R"(
    }
    simt.barrier
    simt.cluster_arrive
    simt.cluster_wait)",
              {"simt.mbarrier_wait at kernel.mlir:20:5, block (",
               "deadlock: the bytes that the mbarrier expects never arrive: block (",
               "(lane 0 at simt.mbarrier_wait kernel.mlir:20:5 with 128 of 132 bytes, lanes 1-31 "
               "at simt.barrier kernel.mlir:22:5)"},
              32);
}

TEST_F(MbarrierTest, ADivergedSenderIsBlamedForTheWait) {
  expectError(init + meet + R"(
    %isLast = arith.cmpi eq, %rank, %mask : i32
    %stays = arith.andi %isLast, %first : i1
    scf.if %stays {
      simt.warp_barrier
    })" + send + wait,
              {"simt.warp_barrier at kernel.mlir:21:7, block (",
               ", thread 0: ", "warp-wide op without all its lanes: "});
}

TEST_F(MbarrierTest, NobodyWaits) {
  expectError(init + meet + send,
              {"simt.mbarrier_init at kernel.mlir:15:5, block (",
               "the block ends with no simt.mbarrier_wait for this mbarrier, at "});
  expectError(init + meet + send + R"(
    simt.cluster_arrive
    simt.cluster_wait)",
              {"simt.mbarrier_init at kernel.mlir:15:5, block (", ", 0, 0), thread 0: ",
               "the block ends with no simt.mbarrier_wait for this mbarrier, at 128 of 128 bytes"});
  expectError(init, {"simt.mbarrier_init at kernel.mlir:15:5, block (",
                     "the block ends with no simt.mbarrier_wait for this mbarrier, at 0 of 128"});
}

TEST_F(MbarrierTest, TheMbarrierIsInAnotherBlock) {
  expectError(init + R"(
    %ownBar = simt.peer %bar, %rank : !llvm.ptr<7>)" +
                  meet + R"(
    simt.store_async %rank, %remote, %ownBar : i32, !llvm.ptr<7>)" +
                  wait,
              {"simt.store_async at kernel.mlir:19:5, block (",
               "the address is in the shared memory of block (",
               ", the mbarrier in that of block ("});
}

TEST_F(MbarrierTest, StoresOutsideSharedMemory) {
  expectError(init + meet + R"(
    %far = llvm.getelementptr %remote[8256] : (!llvm.ptr<7>) -> !llvm.ptr<7>, i8
    simt.store_async %rank, %far, %remoteBar : i32, !llvm.ptr<7>)" +
                  wait,
              {"simt.store_async at kernel.mlir:19:5", "of shared memory, which has 8256 bytes"});
  expectError(init + meet + R"(
    %odd = llvm.getelementptr %remote[4] : (!llvm.ptr<7>) -> !llvm.ptr<7>, i8
    %two = vector.broadcast %rank : i32 to vector<2xi32>
    simt.store_async %two, %odd, %remoteBar if %first : vector<2xi32>, !llvm.ptr<7>)" +
                  wait,
              {"simt.store_async at kernel.mlir:20:5", "misaligned: an access of 8 bytes"});
}

} // namespace
} // namespace lora::emulator
