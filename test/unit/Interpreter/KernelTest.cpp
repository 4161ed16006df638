//===- KernelTest.cpp - Tests of launches, control flow and kernel errors -===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InterpreterFixture.h"

#include <numeric>

using namespace lora::interpreter;

namespace {

using Ints = std::vector<int32_t>;

class KernelTest : public InterpreterFixture {
protected:
  /// A kernel with %y, a view %Y of 64 i32, and %n.
  std::string kernel(const std::string &body) {
    return R"(tile.kernel @test(%y: !tile.ptr<i32>, %n: i32) grid ["n", "1", "1"] {
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %c64 = arith.constant 64 : i32
      %Y = tile.view %y sizes [%c64] strides [1] : !tile.ptr<i32> -> !tile.view<?xi32>
    )" + body +
           "\ntile.return\n}";
  }

  Ints y = Ints(64, -1);
};

const std::string kStoreR = "tile.store %r, %Y[%c0] : tensor<1xi32>, !tile.view<?xi32>";

TEST_F(KernelTest, EveryProgramRunsOnce) {
  const std::string body = R"(%x = tile.program_id x : i32
    %y_id = tile.program_id y : i32
    %z = tile.program_id z : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %a = arith.muli %z, %c3 : i32
    %b = arith.addi %a, %y_id : i32
    %c = arith.muli %b, %c2 : i32
    %at = arith.addi %c, %x : i32
    %old = tile.load_scalar %Y[%at] : !tile.view<?xi32> -> i32
    %sum = arith.addi %old, %at : i32
    %next = arith.addi %sum, %c1 : i32
    %r = tile.splat %next : i32 -> tensor<1xi32>
    tile.store %r, %Y[%at] : tensor<1xi32>, !tile.view<?xi32>)";
  Ints expected(64, -1);
  std::iota(expected.begin(), expected.begin() + 24, 0);
  const uint64_t address = buffer(y, "y");
  expectSuccess(kernel(body), {address, 0}, {2, 3, 4});
  EXPECT_EQ(y, expected);
  for (uint64_t seed : {1, 2, 3}) {
    std::fill(y.begin(), y.end(), -1);
    expectSuccess(kernel(body), {address, 0}, {2, 3, 4}, {seed});
    EXPECT_EQ(y, expected);
  }
}

/// Every program leaves its id in the first element: the last one is seen.
TEST_F(KernelTest, SeedsChangeTheOrder) {
  const std::string text = kernel("%x = tile.program_id x : i32\n"
                                  "%r = tile.splat %x : i32 -> tensor<1xi32>\n" +
                                  kStoreR);
  const uint64_t address = buffer(y, "y");
  auto last = [&](std::optional<uint64_t> seed) {
    expectSuccess(text, {address, 0}, {64, 1, 1}, {seed});
    return y[0];
  };
  EXPECT_EQ(last(std::nullopt), 63);
  EXPECT_EQ(last(5), last(5));
  EXPECT_TRUE(last(5) != 63 || last(6) != 63 || last(7) != 63);
}

TEST_F(KernelTest, EmptyGridRunsNothing) {
  expectSuccess(kernel("%r = tile.iota : tensor<1xi32>\n" + kStoreR), {buffer(y, "y"), 0},
                {4, 0, 1});
  EXPECT_EQ(y[0], -1);
}

TEST_F(KernelTest, IfChoosesARegion) {
  const std::string text = kernel(R"(
    %is = arith.cmpi sgt, %n, %c0 : i32
    %v = scf.if %is -> tensor<1xi32> {
      %a = tile.splat %n : i32 -> tensor<1xi32>
      scf.yield %a : tensor<1xi32>
    } else {
      %a = tile.splat %c64 : i32 -> tensor<1xi32>
      scf.yield %a : tensor<1xi32>
    }
    scf.if %is {
      tile.store %v, %Y[%c1] : tensor<1xi32>, !tile.view<?xi32>
    }
    tile.store %v, %Y[%c0] : tensor<1xi32>, !tile.view<?xi32>)");
  const uint64_t address = buffer(y, "y");
  expectSuccess(text, {address, -5});
  EXPECT_EQ(y[0], 64);
  EXPECT_EQ(y[1], -1);
  expectSuccess(text, {address, 5});
  EXPECT_EQ(y[0], 5);
  EXPECT_EQ(y[1], 5);
}

TEST_F(KernelTest, ForCarriesTiles) {
  // Swapping the two carried tiles shows that all are replaced at once.
  const std::string text = kernel(R"(
    %a0 = tile.splat %c0 : i32 -> tensor<1xi32>
    %b0 = tile.splat %c1 : i32 -> tensor<1xi32>
    %c2 = arith.constant 2 : i32
    %r, %other = scf.for %i = %c1 to %n step %c2 iter_args(%a = %a0, %b = %b0)
        -> (tensor<1xi32>, tensor<1xi32>) : i32 {
      %iv = tile.splat %i : i32 -> tensor<1xi32>
      %next = arith.addi %a, %iv : tensor<1xi32>
      scf.yield %b, %next : tensor<1xi32>, tensor<1xi32>
    }
    )" + kStoreR);
  const uint64_t address = buffer(y, "y");
  expectSuccess(text, {address, 6});
  EXPECT_EQ(y[0], 1 + 3); // i = 1, 3, 5: (0, 1), (1, 1), (1, 4), (4, 6)
  expectSuccess(text, {address, 1});
  EXPECT_EQ(y[0], 0);
  expectSuccess(text, {address, -9});
  EXPECT_EQ(y[0], 0);
}

TEST_F(KernelTest, ForOverIndices) {
  expectSuccess(kernel(R"(
    %l = arith.constant 0 : index
    %u = arith.constant 5 : index
    %s = arith.constant 1 : index
    %v = scf.for %i = %l to %u step %s iter_args(%a = %c0) -> (i32) {
      %w = arith.index_cast %i : index to i32
      %next = arith.addi %a, %w : i32
      scf.yield %next : i32
    }
    %r = tile.splat %v : i32 -> tensor<1xi32>
    )" + kStoreR),
                {buffer(y, "y"), 0});
  EXPECT_EQ(y[0], 10);
}

TEST_F(KernelTest, AssumptionsThatHold) {
  expectSuccess(
      R"(tile.kernel @test(%x: !tile.ptr<i32>, %n: i32) assuming ["n % BLOCK == 0", "x % 4 == 0"]
      grid ["n", "1", "1"] config {BLOCK = 8} { tile.return })",
      {uint64_t(12), 16});
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

TEST_F(KernelTest, BrokenAssumption) {
  expectError("'tile.kernel' op expected arguments that satisfy \"n % BLOCK == 0\", got "
              "BLOCK = 8, n = 12",
              R"(tile.kernel @test(%n: i32) assuming ["n % BLOCK == 0"]
                     grid ["n", "1", "1"] config {BLOCK = 8} { tile.return })",
              {12});
}

TEST_F(KernelTest, BrokenPromise) {
  const std::string text = R"(tile.kernel @test(%x: !tile.ptr<i32>, %n: i32) grid ["n", "1", "1"] {
    %m = tile.assume_divisible %n by 8 : i32
    %y = tile.assume_divisible %x by 16 : !tile.ptr<i32>
    tile.return
  })";
  expectSuccess(text, {uint64_t(32), -16});
  expectError("'tile.assume_divisible' op in program (0, 0, 0): expected a multiple of 8, got -12",
              text, {uint64_t(32), -12});
  messages.clear();
  expectError("expected a multiple of 16, got an address that is 8 modulo it", text,
              {uint64_t(24), 16});
}

TEST_F(KernelTest, Unspecialised) {
  expectError("expected a specialised kernel, got one with parameters",
              R"(tile.kernel @test() params [B = 8 in [8]] grid ["1", "1", "1"] { tile.return })");
  messages.clear();
  expectError("expected a specialised kernel, got a tile of type 'tensor<?xi32, ",
              R"(tile.kernel @test() grid ["1", "1", "1"] {
                   %t = tile.iota : tensor<?xi32, #tile.shape<"2 * 4">>
                   tile.return })");
  for (const char *op :
       {"%p = tile.param \"2 * 4\" : i32", "%p = tile.assume_divisible %c0 by \"2 * 4\" : i32"}) {
    messages.clear();
    expectError("expected a specialised kernel, got the ", kernel(op), {buffer(y, "y"), 0});
    memory = Memory();
  }
}

TEST_F(KernelTest, WrongArguments) {
  const std::string text = R"(tile.kernel @test(%x: !tile.ptr<i32>, %n: i32, %f: f32, %l: i64)
      grid ["1", "1", "1"] { tile.return })";
  expectSuccess(text, {uint64_t(0), 1, 1.0f, int64_t(1)});
  expectError("expected 4 arguments, got 1", text, {uint64_t(0)});
  messages.clear();
  expectError("argument 'n': expected 'i32', got an i64", text,
              {uint64_t(0), int64_t(1), 1.0f, int64_t(1)});
  messages.clear();
  expectError("argument 'x': expected '!tile.ptr<i32>', got an f32", text,
              {1.0f, 1, 1.0f, int64_t(1)});
}

TEST_F(KernelTest, BadGrid) {
  const std::string text = R"(tile.kernel @test() grid ["1", "1", "1"] { tile.return })";
  expectError("got 1 x -1 x 1", text, {}, {1, -1, 1});
  messages.clear();
  expectError("expected a grid of at most 2147483647 programs", text, {},
              {INT32_MAX, INT32_MAX, 2});
}

TEST_F(KernelTest, UnknownOp) {
  expectError("expected an op that can be interpreted, got 'math.sin'",
              R"(tile.kernel @test(%f: f32) grid ["1", "1", "1"] {
                   %s = math.sin %f : f32
                   tile.return })",
              {1.0f});
  messages.clear();
  context.allowUnregisteredDialects();
  expectError("expected an op that can be interpreted, got 'foo.bar'",
              R"(tile.kernel @test() grid ["1", "1", "1"] {
                   "foo.bar"() : () -> ()
                   tile.return })");
}

TEST_F(KernelTest, UnknownTypes) {
  expectError("expected values of i1, i32, i64, index, f16, bf16, f32 or pointers, got 'f64'",
              R"(tile.kernel @test() grid ["1", "1", "1"] {
                   %s = arith.constant 1.0 : f64
                   tile.return })");
  messages.clear();
  expectError(
      "expected a tile of rank 1 or 2 with sizes that are powers of two, got 'tensor<1x1x1xf32>'",
      R"(tile.kernel @test() grid ["1", "1", "1"] {
                   %s = arith.constant dense<1.0> : tensor<1x1x1xf32>
                   tile.return })");
}

TEST_F(KernelTest, ForWithoutProgress) {
  expectError("'scf.for' op in program (0, 0, 0): expected a positive step, got 0",
              kernel("scf.for %i = %c0 to %n step %c0 : i32 {}"), {buffer(y, "y"), 3});
}

TEST_F(KernelTest, ErrorNamesTheProgram) {
  expectError("'arith.divsi' op in program (2, 1, 0): division by zero",
              kernel(R"(%x = tile.program_id x : i32
                        %c2 = arith.constant 2 : i32
                        %yd = tile.program_id y : i32
                        %a = arith.subi %x, %c2 : i32
                        %b = arith.subi %yd, %c1 : i32
                        %c = arith.ori %a, %b : i32
                        %d = arith.divsi %x, %c : i32)"),
              {buffer(y, "y"), 3}, {3, 2, 1});
}

} // namespace
