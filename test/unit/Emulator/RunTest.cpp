//===- RunTest.cpp - Kernels that are right -------------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelTest.h"

#include "lora/Support/Half.h"

#include <cmath>
#include <numeric>

namespace lora::emulator {
namespace {

using RunTest = KernelTest;

TEST_F(RunTest, AddsVectorsWithPredicates) {
  ASSERT_EQ(compile(text({.arguments = "%x: !llvm.ptr<1>, %y: !llvm.ptr<1>, %n: i32, %scale: f32",
                          .body = R"(
    %block = nvvm.read.ptx.sreg.ctaid.x : i32
    %threads = nvvm.read.ptx.sreg.ntid.x : i32
    %first = arith.muli %block, %threads : i32
    %i = arith.addi %first, %tid : i32
    %in = arith.cmpi ult, %i, %n : i32
    %px = llvm.getelementptr inbounds %x[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %py = llvm.getelementptr inbounds %y[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %a = simt.load %px if %in {hint = 1 : i32} : !llvm.ptr<1> -> f32
    %b = simt.load %py if %in : !llvm.ptr<1> -> f32
    %scaled = arith.mulf %a, %scale : f32
    %sum = arith.addf %scaled, %b : f32
    simt.store %sum, %py if %in : f32, !llvm.ptr<1>)",
                          .threads = 64})),
            "");
  std::vector<float> x(1000), y(1000, 1.0f);
  std::iota(x.begin(), x.end(), 0.0f);
  input(x, "x");
  buffer(y, "y");
  ASSERT_EQ(run({x.data(), y.data(), 1000, 0.5f}, {.grid = {16, 1, 1}, .seed = 3}), "");
  for (int i = 0; i < 1000; ++i)
    ASSERT_EQ(y[i], 0.5f * i + 1.0f) << i;
}

TEST_F(RunTest, FalsePredicateGivesZeros) {
  ASSERT_EQ(tryRun({.arguments = "%p: !llvm.ptr<1>", .body = R"(
    %no = arith.constant false
    %null = llvm.mlir.zero : !llvm.ptr<1>
    %v = simt.load %null if %no : !llvm.ptr<1> -> vector<4xi32>
    %last = vector.extract %v[3] : i32 from vector<4xi32>
    %one = arith.constant 1 : i32
    %sum = arith.addi %last, %one : i32
    %q = llvm.getelementptr %p[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    simt.store %sum, %null if %no : i32, !llvm.ptr<1>
    simt.store %sum, %q : i32, !llvm.ptr<1>)"}),
            "");
  EXPECT_EQ(memory[31], 1);
}

/// Sums 128 values of the block in shared memory, by halves.
const char *const reduction = R"(
    %shared = simt.shared 0
    %mine = llvm.getelementptr %shared[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    simt.store %tid, %mine : i32, !llvm.ptr<3>
    simt.barrier
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %c0 = arith.constant 0 : i32
    %end = scf.while (%width = %c64) : (i32) -> i32 {
      %more = arith.cmpi ugt, %width, %c0 : i32
      scf.condition(%more) %width : i32
    } do {
    ^bb0(%width: i32):
      %active = arith.cmpi ult, %tid, %width : i32
      %other = llvm.getelementptr %mine[%width] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
      %a = simt.load %mine if %active : !llvm.ptr<3> -> i32
      %b = simt.load %other if %active : !llvm.ptr<3> -> i32
      %sum = arith.addi %a, %b : i32
      simt.store %sum, %mine if %active : i32, !llvm.ptr<3>
      simt.barrier
      %half = arith.shrui %width, %c1 : i32
      scf.yield %half : i32
    }
    %total = simt.load %shared : !llvm.ptr<3> -> i32
    %q = llvm.getelementptr %p[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    simt.store %total, %q : i32, !llvm.ptr<1>)";

TEST_F(RunTest, ReducesThroughSharedMemory) {
  for (uint64_t seed = 0; seed < 5; ++seed) {
    ASSERT_EQ(tryRun({.arguments = "%p: !llvm.ptr<1>",
                      .body = reduction,
                      .threads = 128,
                      .sharedBytes = 512},
                     {.seed = seed}),
              "");
    EXPECT_EQ(memory, [] {
      std::vector<int32_t> expected(256, 0);
      std::fill_n(expected.begin(), 128, 127 * 64);
      return expected;
    }());
  }
}

/// Copies 16 rows of 32 words through two stages of shared memory, a warp's lanes reading what
/// their neighbours copied.
const char *const pipeline = R"(
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c2 = arith.constant 2 : i32
    %c32 = arith.constant 32 : i32
    %one = arith.constant 1 : i32
    %limit = arith.constant 16 : i32
    %stages = simt.shared 0
    %mine = llvm.getelementptr %stages[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %from = llvm.getelementptr %x[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    simt.cp_async %mine, %from, 4
    simt.cp_async_commit
    %neighbour = arith.xori %tid, %one : i32
    %source, %target = scf.for %row = %c0 to %c16 step %c1 iter_args(%s = %from, %t = %p)
        -> (!llvm.ptr<1>, !llvm.ptr<1>) {
      %i = arith.index_cast %row : index to i32
      %next = arith.addi %i, %one : i32
      %more = arith.cmpi ult, %next, %limit : i32
      %stage = arith.remui %next, %c2 : i32
      %slot = arith.muli %stage, %c32 : i32
      %to = llvm.getelementptr %mine[%slot] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
      %ahead = llvm.getelementptr %s[32] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
      simt.warp_barrier
      simt.cp_async %to, %ahead, 4 if %more
      simt.cp_async_commit
      simt.cp_async_wait 1
      simt.warp_barrier
      %stageNow = arith.remui %i, %c2 : i32
      %slotNow = arith.muli %stageNow, %c32 : i32
      %index = arith.addi %slotNow, %neighbour : i32
      %at = llvm.getelementptr %stages[%index] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
      %v = simt.load %at : !llvm.ptr<3> -> i32
      %out = llvm.getelementptr %t[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
      simt.store %v, %out : i32, !llvm.ptr<1>
      %advanced = llvm.getelementptr %t[32] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
      scf.yield %ahead, %advanced : !llvm.ptr<1>, !llvm.ptr<1>
    }
    simt.cp_async_wait 0)";

TEST_F(RunTest, PipelinesAsynchronousCopies) {
  ASSERT_EQ(compile(text({.arguments = "%x: !llvm.ptr<1>, %p: !llvm.ptr<1>",
                          .body = pipeline,
                          .sharedBytes = 256})),
            "");
  std::vector<int32_t> x(512), y(512);
  std::iota(x.begin(), x.end(), 7);
  buffer(x, "x");
  output(y, "y");
  ASSERT_EQ(run({x.data(), y.data()}), "");
  for (int i = 0; i < 512; ++i)
    ASSERT_EQ(y[i], (i ^ 1) + 7) << i;
}

/// Every block adds its number to 64 partial sums; the last to come adds them up, in order.
const char *const splitK = R"(
    %block = nvvm.read.ptx.sreg.ctaid.x : i32
    %blocks = nvvm.read.ptx.sreg.nctaid.x : i32
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %row = arith.muli %block, %c64 : i32
    %i = arith.addi %row, %tid : i32
    %mine = llvm.getelementptr %partial[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    simt.store %i, %mine : i32, !llvm.ptr<1>
    simt.fence
    simt.barrier
    %first = arith.cmpi eq, %tid, %c0 : i32
    %flag = simt.shared 0
    scf.if %first {
      %old = simt.atomic_add %counter, %c1
      simt.store %old, %flag : i32, !llvm.ptr<3>
    }
    simt.barrier
    %came = simt.load %flag : !llvm.ptr<3> -> i32
    %count = arith.addi %came, %c1 : i32
    %last = arith.cmpi eq, %count, %blocks : i32
    scf.if %last {
      %sum = scf.for %b = %c0 to %blocks step %c1 iter_args(%acc = %c0) -> (i32) : i32 {
        %r = arith.muli %b, %c64 : i32
        %j = arith.addi %r, %tid : i32
        %theirs = llvm.getelementptr %partial[%j] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
        %v = simt.load %theirs : !llvm.ptr<1> -> i32
        %next = arith.addi %acc, %v : i32
        scf.yield %next : i32
      }
      %q = llvm.getelementptr %y[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
      simt.store %sum, %q : i32, !llvm.ptr<1>
      simt.store %c0, %counter if %first : i32, !llvm.ptr<1>
    })";

TEST_F(RunTest, SumsSplitsBehindAnAtomicCounter) {
  ASSERT_EQ(compile(text({.arguments = "%partial: !llvm.ptr<1>, %counter: !llvm.ptr<1>, "
                                       "%y: !llvm.ptr<1>",
                          .body = splitK,
                          .threads = 64,
                          .sharedBytes = 4})),
            "");
  std::vector<int32_t> partial(64 * 40), counter(1, 0), y(64);
  output(partial, "partial");
  buffer(counter, "counter");
  output(y, "y");
  for (unsigned threads : {1u, 4u}) {
    for (uint64_t seed = 0; seed < 10; ++seed) {
      std::fill(y.begin(), y.end(), -1);
      ASSERT_EQ(run({partial.data(), counter.data(), y.data()},
                    {.grid = {40, 1, 1}, .seed = seed, .threads = threads}),
                "");
      EXPECT_EQ(counter[0], 0);
      for (int i = 0; i < 64; ++i)
        ASSERT_EQ(y[i], 40 * i + 64 * 39 * 20);
    }
  }
}

TEST_F(RunTest, NamedBarriersOrderTheirWarps) {
  // Two pairs of warps exchange values behind a barrier of their own.
  ASSERT_EQ(tryRun({.arguments = "%p: !llvm.ptr<1>",
                    .body = R"(
    %c1 = arith.constant 1 : i32
    %c6 = arith.constant 6 : i32
    %c32 = arith.constant 32 : i32
    %pair = arith.shrui %tid, %c6 : i32
    %id = arith.addi %pair, %c1 : i32
    %other = arith.xori %tid, %c32 : i32
    %shared = simt.shared 0
    %mine = llvm.getelementptr %shared[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %theirs = llvm.getelementptr %shared[%other] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    simt.store %tid, %mine : i32, !llvm.ptr<3>
    simt.barrier named %id, 64
    %v = simt.load %theirs : !llvm.ptr<3> -> i32
    %q = llvm.getelementptr %p[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    simt.store %v, %q : i32, !llvm.ptr<1>)",
                    .threads = 128,
                    .sharedBytes = 512}),
            "");
  for (int i = 0; i < 128; ++i)
    EXPECT_EQ(memory[i], i ^ 32);
}

TEST_F(RunTest, FollowsTablesOfPointers) {
  ASSERT_EQ(compile(text({.arguments = "%table: !llvm.ptr<1>, %p: !llvm.ptr<1>", .body = R"(
    %entry = llvm.getelementptr %table[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i64
    %bits = simt.load %entry : !llvm.ptr<1> -> i64
    %a = llvm.inttoptr %bits : i64 to !llvm.ptr<1>
    %b = simt.load %entry : !llvm.ptr<1> -> !llvm.ptr<1>
    %va = simt.load %a : !llvm.ptr<1> -> i32
    %vb = simt.load %b : !llvm.ptr<1> -> i32
    %sum = arith.addi %va, %vb : i32
    %q = llvm.getelementptr %p[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    simt.store %sum, %q : i32, !llvm.ptr<1>)"})),
            "");
  std::vector<int32_t> even(1, 10), odd(1, 20), y(32);
  std::vector<void *> table;
  for (int i = 0; i < 32; ++i)
    table.push_back(i % 2 ? odd.data() : even.data());
  input(even, "even");
  input(odd, "odd");
  input(table, "table");
  output(y, "y");
  ASSERT_EQ(run({table.data(), y.data()}), "");
  EXPECT_EQ(y[4], 20);
  EXPECT_EQ(y[5], 40);
}

TEST_F(RunTest, ConvertsShortFloatsAsTheOtherOracles) {
  ASSERT_EQ(
      compile(text({.arguments = "%x: !llvm.ptr<1>, %h: !llvm.ptr<1>, %b: !llvm.ptr<1>", .body = R"(
    %c4 = arith.constant 4 : i32
    %i = arith.muli %tid, %c4 : i32
    %px = llvm.getelementptr %x[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %ph = llvm.getelementptr %h[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f16
    %pb = llvm.getelementptr %b[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, bf16
    %v = simt.load %px : !llvm.ptr<1> -> vector<4xf32>
    %half = arith.truncf %v : vector<4xf32> to vector<4xf16>
    %bfloat = arith.truncf %v : vector<4xf32> to vector<4xbf16>
    simt.store %half, %ph : vector<4xf16>, !llvm.ptr<1>
    simt.store %bfloat, %pb : vector<4xbf16>, !llvm.ptr<1>
    %wide = arith.extf %half : vector<4xf16> to vector<4xf32>
    %wideb = arith.extf %bfloat : vector<4xbf16> to vector<4xf32>
    %sum = arith.addf %wide, %wideb : vector<4xf32>
    simt.store %sum, %px : vector<4xf32>, !llvm.ptr<1>)"})),
      "");
  std::vector<float> x(128);
  for (int i = 0; i < 128; ++i)
    x[i] = std::ldexp(1.0f + i / 128.0f, i % 2 ? -i : i / 8) * (i % 3 ? 1.0f : -1.0f);
  x[0] = 1e-40f;
  x[1] = 65520.0f;
  const std::vector<float> before = x;
  std::vector<uint16_t> half(128), bfloat(128);
  buffer(x, "x");
  output(half, "h");
  output(bfloat, "b");
  ASSERT_EQ(run({x.data(), half.data(), bfloat.data()}), "");
  for (int i = 0; i < 128; ++i) {
    EXPECT_EQ(half[i], floatToHalf(before[i])) << before[i];
    EXPECT_EQ(bfloat[i], floatToBFloat(before[i])) << before[i];
    EXPECT_EQ(x[i], halfToFloat(half[i]) + bfloatToFloat(bfloat[i]));
  }
}

TEST_F(RunTest, LowersVectorsIndicesAndMath) {
  ASSERT_EQ(tryRun({.arguments = "%p: !llvm.ptr<1>", .body = R"(
    %t = arith.index_cast %tid : i32 to index
    %c3 = arith.constant 3 : index
    %up = arith.ceildivui %t, %c3 : index
    %down = arith.floordivsi %t, %c3 : index
    %mod = arith.remui %t, %c3 : index
    %a = arith.index_cast %up : index to i32
    %b = arith.index_cast %down : index to i32
    %c = arith.index_cast %mod : index to i32
    %f = arith.uitofp %tid : i32 to f32
    %root = math.sqrt %f : f32
    %fused = math.fma %root, %root, %f : f32
    %zero = arith.constant 0.0 : f32
    %power = math.exp %zero : f32
    %tanh = math.tanh %zero : f32
    %one_ = arith.addf %power, %tanh : f32
    %scaled = arith.mulf %fused, %one_ : f32
    %d = arith.fptoui %scaled : f32 to i32
    %all = vector.from_elements %a, %b, %c, %d : vector<4xi32>
    %low = vector.extract_strided_slice %all {offsets = [0], sizes = [2], strides = [1]}
        : vector<4xi32> to vector<2xi32>
    %high = vector.extract_strided_slice %all {offsets = [2], sizes = [2], strides = [1]}
        : vector<4xi32> to vector<2xi32>
    %swapped = vector.shuffle %high, %low [0, 1, 2, 3] : vector<2xi32>, vector<2xi32>
    %one = arith.constant 1 : i32
    %ones = vector.broadcast %one : i32 to vector<4xi32>
    %more = arith.addi %swapped, %ones : vector<4xi32>
    %q = llvm.getelementptr %p[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<4xi32>
    simt.store %more, %q : vector<4xi32>, !llvm.ptr<1>)"}),
            "");
  for (int i = 0; i < 32; ++i) {
    EXPECT_EQ(memory[4 * i], i % 3 + 1);
    EXPECT_NEAR(memory[4 * i + 1], 2 * i + 1, 1);
    EXPECT_EQ(memory[4 * i + 2], (i + 2) / 3 + 1);
    EXPECT_EQ(memory[4 * i + 3], i / 3 + 1);
  }
}

TEST_F(RunTest, RunsAloneInItsStream) {
  EXPECT_EQ(tryRun({.arguments = "%p: !llvm.ptr<1>", .body = R"(
    simt.await_predecessors
    simt.release_dependents)"}),
            "");
}

TEST_F(RunTest, KnowsWhereItIsInTheGrid) {
  ASSERT_EQ(tryRun({.arguments = "%p: !llvm.ptr<1>", .body = R"(
    %x = nvvm.read.ptx.sreg.ctaid.x : i32
    %y = nvvm.read.ptx.sreg.ctaid.y : i32
    %z = nvvm.read.ptx.sreg.ctaid.z : i32
    %nx = nvvm.read.ptx.sreg.nctaid.x : i32
    %ny = nvvm.read.ptx.sreg.nctaid.y : i32
    %lane = nvvm.read.ptx.sreg.laneid : i32
    %0 = arith.muli %z, %ny : i32
    %1 = arith.addi %0, %y : i32
    %2 = arith.muli %1, %nx : i32
    %3 = arith.addi %2, %x : i32
    %c5 = arith.constant 5 : i32
    %last = arith.cmpi eq, %lane, %c5 : i32
    %q = llvm.getelementptr %p[%3] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    simt.store %3, %q if %last : i32, !llvm.ptr<1>)"},
                   {.grid = {2, 3, 4}}),
            "");
  for (int i = 0; i < 24; ++i)
    EXPECT_EQ(memory[i], i);
}

} // namespace
} // namespace lora::emulator
