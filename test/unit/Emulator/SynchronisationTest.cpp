//===- SynchronisationTest.cpp - Barriers that not everybody reaches ------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelTest.h"

#include <chrono>
#include <thread>

namespace lora::emulator {
namespace {

using SynchronisationTest = KernelTest;

KernelSource withWarp(const std::string &body, int threads) {
  return {.arguments = "%p: !llvm.ptr<1>",
          .body = R"(
    %c1 = arith.constant 1 : i32
    %c5 = arith.constant 5 : i32
    %warp = arith.shrui %tid, %c5 : i32
    %isWarp1 = arith.cmpi eq, %warp, %c1 : i32
    )" + body,
          .threads = threads};
}

TEST_F(SynchronisationTest, AWarpReturnsBeforeTheBarrier) {
  const std::string error = tryRun(withWarp(R"(scf.if %isWarp1 {
    } else {
      simt.barrier
    })",
                                            128));
  expectHolds(error, {"simt.barrier at kernel.mlir:8:7, block (0, 0, 0), thread 0: barrier "
                      "divergence: not all threads of the block wait here: warps 0,2-3 at "
                      "simt.barrier kernel.mlir:8:7, warp 1 returned"});
}

TEST_F(SynchronisationTest, WarpsWaitAtDifferentBarriers) {
  const std::string error = tryRun(withWarp(R"(scf.if %isWarp1 {
      simt.barrier
    } else {
      simt.barrier
    })",
                                            64));
  expectHolds(error, {"barrier divergence", "warp 0 at simt.barrier kernel.mlir:9:7, warp 1 at "
                                            "simt.barrier kernel.mlir:7:7"});
}

TEST_F(SynchronisationTest, LanesWaitAtDifferentBarriers) {
  const std::string error = tryRun(withWarp(R"(%some = arith.cmpi ult, %tid, %c5 : i32
    scf.if %some {
      simt.barrier
    })",
                                            32));
  expectHolds(error, {"warp-wide op without all its lanes: warp 0 (lanes 0-4 at simt.barrier "
                      "kernel.mlir:8:7, lanes 5-31 returned)"});
}

TEST_F(SynchronisationTest, LanesNameDifferentBarriers) {
  const std::string error = tryRun(withWarp(R"(%id = arith.remui %tid, %c5 : i32
    %named = arith.addi %id, %c1 : i32
    simt.barrier named %named, 32)",
                                            32));
  expectHolds(error, {"warp-wide op without all its lanes",
                      "lanes 0,5,10,15,20,25,30 at simt.barrier kernel.mlir:8:5 with id 1"});
}

TEST_F(SynchronisationTest, TooFewAtANamedBarrier) {
  const std::string error = tryRun(withWarp(R"(scf.if %isWarp1 {
      simt.barrier named %c5, 64
    })",
                                            96));
  expectHolds(error, {"simt.barrier at kernel.mlir:7:7", "thread 32: deadlock: fewer than 64 "
                                                         "threads wait here: warps 0,2 returned, "
                                                         "warp 1 at simt.barrier kernel.mlir:7:7 "
                                                         "with id 5"});
}

TEST_F(SynchronisationTest, NamedBarrierWithTwoSizes) {
  const std::string error = tryRun(withWarp(R"(scf.if %isWarp1 {
      simt.barrier named %c5, 64
    } else {
      simt.barrier named %c5, 96
    })",
                                            96));
  expectHolds(error, {"barrier 5 is for ", " threads at its first participant, for "});
}

TEST_F(SynchronisationTest, NamedBarrierOutOfRange) {
  const std::string error = tryRun(withWarp(R"(%id = arith.constant 16 : i32
    simt.barrier named %id, 32)",
                                            32));
  expectHolds(error, {"expected a barrier id in 1 to 15, got 16"});
}

TEST_F(SynchronisationTest, TheFirstBlockInOrderIsReported) {
  // Every block fails; which one is reported depends on the seed alone.
  const std::string body = R"(
    %null = llvm.mlir.zero : !llvm.ptr<1>
    %v = simt.load %null : !llvm.ptr<1> -> i32)";
  for (uint64_t seed = 0; seed < 4; ++seed) {
    auto once = [&](unsigned threads) {
      return tryRun({.arguments = "%p: !llvm.ptr<1>", .body = body},
                    {.grid = {100, 1, 1}, .seed = seed, .threads = threads});
    };
    const std::string expected = once(1);
    for (int i = 0; i < 5; ++i)
      EXPECT_EQ(once(8), expected);
  }
}

TEST_F(SynchronisationTest, StopsWhenInterrupted) {
  // An endless loop.
  ASSERT_EQ(compile(text({.arguments = "%p: !llvm.ptr<1>", .body = R"(
    %yes = arith.constant true
    scf.while : () -> () {
      scf.condition(%yes)
    } do {
      scf.yield
    })"})),
            "");
  std::vector<int32_t> p(1);
  buffer(p, "p");
  std::atomic<bool> interrupt = false;
  std::thread user([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    interrupt = true;
  });
  EXPECT_EQ(run({p.data()}, {.interrupt = &interrupt}), "interrupted");
  user.join();
}

} // namespace
} // namespace lora::emulator
