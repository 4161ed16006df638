//===- CpAsyncTest.cpp - Asynchronous copies that are used too early ------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelTest.h"

namespace lora::emulator {
namespace {

class CpAsyncTest : public KernelTest {
protected:
  /// Every thread writes its own place in shared memory, copies word %tid of p there in line 10,
  /// and does `body`.
  std::string tryCopy(const std::string &body, int threads = 32, const RunOptions &options = {}) {
    return tryRun({.arguments = "%p: !llvm.ptr<1>",
                   .body = R"(
    %c1 = arith.constant 1 : i32
    %s = simt.shared 0
    %other = arith.xori %tid, %c1 : i32
    %mine = llvm.getelementptr %s[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %theirs = llvm.getelementptr %s[%other] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %from = llvm.getelementptr %p[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    simt.store %tid, %mine : i32, !llvm.ptr<3>
    simt.barrier
    simt.cp_async %mine, %from, 4
    )" + body,
                   .threads = threads,
                   .sharedBytes = 4 * threads},
                  options);
  }
};

TEST_F(CpAsyncTest, OwnDataAfterTheWait) {
  EXPECT_EQ(tryCopy(R"(simt.cp_async_commit
    simt.cp_async_wait 0
    %v = simt.load %mine : !llvm.ptr<3> -> i32)"),
            "");
}

TEST_F(CpAsyncTest, ReadWithoutWait) {
  expectHolds(tryCopy(R"(simt.cp_async_commit
    %v = simt.load %mine : !llvm.ptr<3> -> i32
    simt.cp_async_wait 0)"),
              {"simt.load at kernel.mlir:12:10, block (0, 0, 0), thread ",
               "the bytes are in flight: not waited for since simt.cp_async at kernel.mlir:10:5 in "
               "thread "});
}

TEST_F(CpAsyncTest, WaitThatLeavesTheGroupPending) {
  expectHolds(tryCopy(R"(simt.cp_async_commit
    simt.cp_async_wait 1
    %v = simt.load %mine : !llvm.ptr<3> -> i32)"),
              {"simt.load at kernel.mlir:1", "the bytes are in flight"});
}

TEST_F(CpAsyncTest, WaitWithoutCommit) {
  expectHolds(tryCopy(R"(simt.cp_async_wait 0
    %v = simt.load %mine : !llvm.ptr<3> -> i32)"),
              {"simt.load at kernel.mlir:1", "the bytes are in flight"});
}

TEST_F(CpAsyncTest, OthersNeedABarrierBehindTheWait) {
  EXPECT_EQ(tryCopy(R"(simt.cp_async_commit
    simt.cp_async_wait 0
    simt.warp_barrier
    %v = simt.load %theirs : !llvm.ptr<3> -> i32)"),
            "");
  // Before the wait it does not help.
  for (uint64_t seed = 0; seed < 8; ++seed) {
    const std::string error = tryCopy(R"(simt.cp_async_commit
    simt.warp_barrier
    simt.cp_async_wait 0
    %v = simt.load %theirs : !llvm.ptr<3> -> i32)",
                                      32, {.seed = seed});
    expectHolds(error, {"simt.load at kernel.mlir:14:10, block (0, 0, 0), thread ",
                        " simt.cp_async at kernel.mlir:10:5 in thread "});
    EXPECT_TRUE(error.find("the bytes are in flight") != std::string::npos ||
                error.find("race: not ordered after the write") != std::string::npos)
        << error;
  }
  for (uint64_t seed = 0; seed < 8; ++seed)
    expectRace(tryCopy(R"(simt.cp_async_commit
    simt.cp_async_wait 0
    %v = simt.load %theirs : !llvm.ptr<3> -> i32)",
                       32, {.seed = seed}));
}

TEST_F(CpAsyncTest, OverwritesBytesInFlight) {
  expectHolds(tryCopy("simt.store %tid, %mine : i32, !llvm.ptr<3>"),
              {"simt.store at kernel.mlir:11:5", "the bytes are in flight"});
  expectHolds(tryCopy("simt.cp_async %mine, %from, 4"),
              {"simt.cp_async at kernel.mlir:11:5", "the bytes are in flight"});
}

TEST_F(CpAsyncTest, OverwritesTheSource) {
  expectHolds(tryCopy("simt.store %tid, %from : i32, !llvm.ptr<1>"),
              {"simt.store at kernel.mlir:11:5, block (0, 0, 0), thread ",
               "overwrites the source of an asynchronous copy in flight, of simt.cp_async at "
               "kernel.mlir:10:5 in thread "});
  EXPECT_EQ(tryCopy(R"(simt.cp_async_commit
    simt.cp_async_wait 0
    simt.store %tid, %from : i32, !llvm.ptr<1>)"),
            "");
}

TEST_F(CpAsyncTest, OverwritesWhatOthersMayStillRead) {
  // The ring's slot is filled again without a barrier behind its last readers.
  for (uint64_t seed = 0; seed < 8; ++seed)
    expectRace(tryCopy(R"(simt.cp_async_commit
    simt.cp_async_wait 0
    simt.warp_barrier
    %v = simt.load %theirs : !llvm.ptr<3> -> i32
    simt.cp_async %mine, %from, 4
    simt.cp_async_commit
    simt.cp_async_wait 0)",
                       32, {.seed = seed}));
}

TEST_F(CpAsyncTest, ReturnsWithCopiesInFlight) {
  expectHolds(tryCopy("simt.cp_async_commit"),
              {"simt.cp_async at kernel.mlir:10:5",
               "the thread returns without waiting for this asynchronous copy"});
}

TEST_F(CpAsyncTest, FalsePredicateWritesZeros) {
  EXPECT_EQ(tryCopy(R"(simt.cp_async_commit
    simt.cp_async_wait 0
    %no = arith.constant false
    %null = llvm.mlir.zero : !llvm.ptr<1>
    simt.store %c1, %mine : i32, !llvm.ptr<3>
    simt.cp_async %mine, %null, 4 if %no
    simt.cp_async_commit
    simt.cp_async_wait 0
    %v = simt.load %mine : !llvm.ptr<3> -> i32
    %sum = arith.addi %v, %c1 : i32
    simt.store %sum, %from : i32, !llvm.ptr<1>)"),
            "");
  EXPECT_EQ(memory[31], 1);
}

TEST_F(CpAsyncTest, Misaligned) {
  expectHolds(tryCopy(R"(simt.cp_async_commit
    simt.cp_async_wait 0
    simt.barrier
    %q = llvm.getelementptr %s[1] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i32
    simt.cp_async %q, %p, 16)"),
              {"simt.cp_async at kernel.mlir:15:5", "misaligned: an access of 16 bytes at 0x4"});
}

TEST_F(CpAsyncTest, SourceOutsideEveryBuffer) {
  expectHolds(tryCopy(R"(simt.cp_async_commit
    simt.cp_async_wait 0
    %q = llvm.getelementptr %from[256] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    simt.cp_async %mine, %q, 4)"),
              {"simt.cp_async at kernel.mlir:14:5", "are outside every buffer"});
}

} // namespace
} // namespace lora::emulator
