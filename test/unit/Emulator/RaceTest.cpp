//===- RaceTest.cpp - Accesses that nothing orders ------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelTest.h"

#include <numeric>

namespace lora::emulator {
namespace {

using RaceTest = KernelTest;

/// Every thread writes its place in shared memory for the second time, and reads that of the thread
/// whose number differs by `distance` after `between`.
KernelSource exchange(const std::string &between, int distance, int threads = 64) {
  return {.arguments = "%p: !llvm.ptr<1>",
          .body = R"(
    %c4 = arith.constant 4 : i32
    %s = simt.shared 0
    %d = arith.constant )" +
                  std::to_string(distance) + R"( : i32
    %other = arith.xori %tid, %d : i32
    %mine = llvm.getelementptr %s[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %theirs = llvm.getelementptr %s[%other] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    simt.store %tid, %mine : i32, !llvm.ptr<3>
    simt.barrier
    simt.store %tid, %mine : i32, !llvm.ptr<3>
    )" + between + R"(
    %v = simt.load %theirs : !llvm.ptr<3> -> i32)",
          .threads = threads,
          .sharedBytes = 4 * threads};
}

TEST_F(RaceTest, ReadOfAnotherLanesWrite) {
  for (uint64_t seed = 0; seed < 8; ++seed)
    expectRace(tryRun(exchange("", 1), {.seed = seed}));
}

TEST_F(RaceTest, WarpBarrierOrdersLanes) {
  EXPECT_EQ(tryRun(exchange("simt.warp_barrier", 1)), "");
}

TEST_F(RaceTest, WarpBarrierDoesNotOrderWarps) {
  for (uint64_t seed = 0; seed < 8; ++seed)
    expectRace(tryRun(exchange("simt.warp_barrier", 32), {.seed = seed}));
}

TEST_F(RaceTest, BarrierOrdersWarps) { EXPECT_EQ(tryRun(exchange("simt.barrier", 32)), ""); }

TEST_F(RaceTest, MmaOrdersNothing) {
  const char *mma = R"(
    %a = arith.constant dense<1.0> : vector<4xf32>
    %b = arith.constant dense<1.0> : vector<2xf32>
    %m = simt.mma %a, %b, %a : vector<4xf32>, vector<2xf32>, vector<4xf32>)";
  const std::string error = tryRun(exchange(mma, 1));
  expectHolds(error, {"simt.load at kernel.mlir:15:10", "thread ",
                      "race: not ordered after the write of the same bytes by simt.store at "
                      "kernel.mlir:10:5 in thread "});
}

TEST_F(RaceTest, NamedBarrierOrdersOnlyItsParticipants) {
  const char *pairs = R"(
    %c6 = arith.constant 6 : i32
    %c1 = arith.constant 1 : i32
    %pair = arith.shrui %tid, %c6 : i32
    %id = arith.addi %pair, %c1 : i32
    simt.barrier named %id, 64)";
  EXPECT_EQ(tryRun(exchange(pairs, 32, 128)), "");
  const std::string both = std::string(pairs) + "\n simt.warp_barrier";
  for (uint64_t seed = 0; seed < 8; ++seed)
    expectRace(tryRun(exchange(both, 64, 128), {.seed = seed}));
}

TEST_F(RaceTest, NamedBarriersOrderThroughACommonWarp) {
  // Warps 0 and 1 meet, then warps 1 and 2: what warp 0 wrote before is known to warp 2.
  const std::string chain = R"(
    %s = simt.shared 0
    %c5 = arith.constant 5 : i32
    %warp = arith.shrui %tid, %c5 : i32
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %is0 = arith.cmpi eq, %tid, %c0 : i32
    %is1 = arith.cmpi eq, %warp, %c1 : i32
    %is2 = arith.cmpi eq, %warp, %c2 : i32
    simt.store %tid, %s if %is0 : i32, !llvm.ptr<3>
    %low = arith.cmpi ule, %warp, %c1 : i32
    %high = arith.cmpi uge, %warp, %c1 : i32
    scf.if %low { simt.barrier named %c1, 64 }
    scf.if %high { simt.barrier named %c2, 64 }
    %v = simt.load %s if %is2 : !llvm.ptr<3> -> i32)";
  for (uint64_t seed = 0; seed < 8; ++seed)
    EXPECT_EQ(
        tryRun({.arguments = "%p: !llvm.ptr<1>", .body = chain, .threads = 96, .sharedBytes = 4},
               {.seed = seed}),
        "");
}

TEST_F(RaceTest, WriteOfWhatAnotherWarpReads) {
  const std::string body = R"(
    %s = simt.shared 0
    %c0 = arith.constant 0 : i32
    %c40 = arith.constant 40 : i32
    %first = arith.cmpi eq, %tid, %c0 : i32
    %reader = arith.cmpi eq, %tid, %c40 : i32
    simt.store %tid, %s if %first : i32, !llvm.ptr<3>
    simt.barrier
    %v = simt.load %s if %reader : !llvm.ptr<3> -> i32
    simt.store %tid, %s if %first : i32, !llvm.ptr<3>)";
  bool readFirst = false;
  for (uint64_t seed = 0; seed < 8; ++seed) {
    const std::string error =
        tryRun({.arguments = "%p: !llvm.ptr<1>", .body = body, .threads = 64, .sharedBytes = 4},
               {.seed = seed});
    expectRace(error);
    readFirst |= error.find("simt.store at kernel.mlir:10:5, block (0, 0, 0), thread 0: race: not "
                            "ordered after the read of the same bytes by simt.load at "
                            "kernel.mlir:9:10 in thread 40") != std::string::npos;
  }
  EXPECT_TRUE(readFirst);
}

TEST_F(RaceTest, EveryConcurrentReaderCounts) {
  // 64 threads read one place; a barrier orders all but those of the last warp before the write.
  const std::string body = R"(
    %s = simt.shared 0
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c96 = arith.constant 96 : i32
    %first = arith.cmpi eq, %tid, %c0 : i32
    simt.store %tid, %s if %first : i32, !llvm.ptr<3>
    simt.barrier
    %v = simt.load %s : !llvm.ptr<3> -> i32
    %low = arith.cmpi ult, %tid, %c96 : i32
    scf.if %low { simt.barrier named %c1, 96 }
    simt.store %tid, %s if %first : i32, !llvm.ptr<3>)";
  for (uint64_t seed = 0; seed < 8; ++seed)
    expectRace(
        tryRun({.arguments = "%p: !llvm.ptr<1>", .body = body, .threads = 128, .sharedBytes = 4},
               {.seed = seed}));
}

TEST_F(RaceTest, NeighbouringBytesDoNotConflict) {
  EXPECT_EQ(tryRun({.arguments = "%p: !llvm.ptr<1>", .body = R"(
    %v = arith.trunci %tid : i32 to i8
    %q = llvm.getelementptr %p[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8
    simt.store %v, %q : i8, !llvm.ptr<1>
    %w = simt.load %q : !llvm.ptr<1> -> i8
    simt.warp_barrier
    %all = simt.load %p : !llvm.ptr<1> -> vector<4xi32>)"}),
            "");
  EXPECT_EQ(memory[1], 0x07060504);
}

TEST_F(RaceTest, PartOfAWideAccessConflicts) {
  const std::string error = tryRun({.arguments = "%p: !llvm.ptr<1>", .body = R"(
    %all = simt.load %p : !llvm.ptr<1> -> vector<4xi32>
    %v = arith.trunci %tid : i32 to i8
    %c7 = arith.constant 7 : i32
    %last = arith.cmpi eq, %tid, %c7 : i32
    simt.store %v, %p if %last : i8, !llvm.ptr<1>)"});
  expectRace(error);
}

TEST_F(RaceTest, BlocksAreNotOrdered) {
  const std::string error = tryRun({.arguments = "%p: !llvm.ptr<1>", .body = R"(
    %q = llvm.getelementptr %p[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    simt.store %tid, %q : i32, !llvm.ptr<1>)"},
                                   {.grid = {2, 1, 1}, .threads = 1});
  expectHolds(error, {"simt.store at kernel.mlir:3:5, block (",
                      "race: not ordered after the write of the same bytes by simt.store at "
                      "kernel.mlir:3:5 in thread ",
                      " of block ("});
}

/// Block b writes its part, counts itself and, if it is the last, reads every part. The barriers
/// around the counting are given.
std::string counting(const std::string &before, const std::string &after) {
  return R"(
    %block = nvvm.read.ptx.sreg.ctaid.x : i32
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c6 = arith.constant 6 : i32
    %row = arith.shli %block, %c6 : i32
    %i = arith.addi %row, %tid : i32
    %mine = llvm.getelementptr %p[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    simt.store %i, %mine : i32, !llvm.ptr<1>
    %counter = llvm.getelementptr %p[255] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    %first = arith.cmpi eq, %tid, %c0 : i32
    %flag = simt.shared 0
    )" + before +
         R"(
    scf.if %first {
      %old = simt.atomic_add %counter, %c1
      simt.store %old, %flag : i32, !llvm.ptr<3>
    }
    )" + after +
         R"(
    %came = simt.load %flag : !llvm.ptr<3> -> i32
    %last = arith.cmpi eq, %came, %c1 : i32
    %next = arith.xori %i, %c1 : i32
    %flipped = arith.constant 64 : i32
    %far = arith.xori %next, %flipped : i32
    %theirs = llvm.getelementptr %p[%far] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %v = simt.load %theirs if %last : !llvm.ptr<1> -> i32)";
}

TEST_F(RaceTest, AtomicOrdersBlocksBehindBarriers) {
  for (uint64_t seed = 0; seed < 8; ++seed)
    EXPECT_EQ(tryRun({.arguments = "%p: !llvm.ptr<1>",
                      .body = counting("simt.barrier", "simt.barrier"),
                      .threads = 64,
                      .sharedBytes = 4},
                     {.grid = {2, 1, 1}, .seed = seed}),
              "");
}

TEST_F(RaceTest, AtomicDoesNotReleaseWhatOtherWarpsDo) {
  // Thread 0 counts the block before the other warp's writes are known to it.
  for (uint64_t seed = 0; seed < 8; ++seed)
    expectHolds(tryRun({.arguments = "%p: !llvm.ptr<1>",
                        .body = counting("simt.warp_barrier", "simt.barrier"),
                        .threads = 64,
                        .sharedBytes = 4},
                       {.grid = {2, 1, 1}, .seed = seed, .threads = 1}),
                {"simt.load at ", "race: not ordered after the write", " of block ("});
}

TEST_F(RaceTest, AtomicAcquiresForItsThreadOnly) {
  const std::string body = R"(
    %block = nvvm.read.ptx.sreg.ctaid.x : i32
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %counter = llvm.getelementptr %p[4] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    %lane0 = arith.cmpi eq, %tid, %c0 : i32
    %reader = arith.cmpi eq, %tid, %READER : i32
    scf.if %lane0 {
      %early = simt.atomic_add %counter, %c0
      %isFirst = arith.cmpi eq, %early, %c0 : i32
      simt.store %block, %p if %isFirst : i32, !llvm.ptr<1>
      %old = simt.atomic_add %counter, %c1
    }
    %v = simt.load %p if %reader : !llvm.ptr<1> -> i32)";
  auto with = [&](const char *reader) {
    std::string text = body;
    text.replace(text.find("%READER"), 7, reader);
    return tryRun({.arguments = "%p: !llvm.ptr<1>", .body = text},
                  {.grid = {2, 1, 1}, .threads = 1});
  };
  EXPECT_EQ(with("%c0"), "");
  expectRace(with("%c1"));
}

TEST_F(RaceTest, AtomicAgainstPlainAccess) {
  const std::string error = tryRun({.arguments = "%p: !llvm.ptr<1>", .body = R"(
    %c1 = arith.constant 1 : i32
    %old = simt.atomic_add %p, %c1
    %v = simt.load %p : !llvm.ptr<1> -> i32)"});
  expectRace(error);
}

} // namespace
} // namespace lora::emulator
