//===- TileTest.cpp - Tests of ops that make tiles, and of tile.dot -------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InterpreterFixture.h"
#include "lora/Support/Half.h"

#include <cmath>

using namespace lora;
using namespace lora::interpreter;

namespace {

using Floats = std::vector<float>;
using Ints = std::vector<int32_t>;

class TileTest : public InterpreterFixture {
protected:
  /// Multiplies a [2, k] by b [k, 2], both of `type`, and adds c [2, 2] if `accumulate`.
  template <typename T>
  Floats dot(const std::string &type, int k, std::vector<T> a, std::vector<T> b,
             bool accumulate = false, Floats c = {0, 0, 0, 0}) {
    const std::string size = std::to_string(k), lhs = "tensor<2x" + size + "x" + type + ">",
                      rhs = "tensor<" + size + "x2x" + type + ">",
                      view = "!tile.view<?x?x" + type + ">", ptr = "!tile.ptr<" + type + ">";
    memory = Memory();
    expectSuccess(
        "tile.kernel @test(%a: " + ptr + ", %b: " + ptr + R"(, %c: !tile.ptr<f32>)
        grid ["1", "1", "1"] {
      %c0 = arith.constant 0 : i32
      %c2 = arith.constant 2 : i32
      %k = arith.constant )" +
            size + " : i32\n%A = tile.view %a sizes [%c2, %k] strides [" + size + ", 1] : " + ptr +
            " -> " + view + "\n%B = tile.view %b sizes [%k, %c2] strides [2, 1] : " + ptr + " -> " +
            view +
            R"(
      %C = tile.view %c sizes [%c2, %c2] strides [2, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32>
      %ta = tile.load %A[%c0, %c0] : )" +
            view + " -> " + lhs + "\n%tb = tile.load %B[%c0, %c0] : " + view + " -> " + rhs +
            "\n%tc = tile.load %C[%c0, %c0] : !tile.view<?x?xf32> -> tensor<2x2xf32>" +
            "\n%r = tile.dot %ta, %tb" + (accumulate ? ", %tc" : "") + " : " + lhs + ", " + rhs +
            R"( -> tensor<2x2xf32>
      tile.store %r, %C[%c0, %c0] : tensor<2x2xf32>, !tile.view<?x?xf32>
      tile.return
    })",
        {buffer(a, "a", false), buffer(b, "b", false), buffer(c, "c")});
    return c;
  }
};

std::vector<uint16_t> halves(const Floats &values) {
  std::vector<uint16_t> result;
  for (float value : values)
    result.push_back(floatToHalf(value));
  return result;
}

TEST_F(TileTest, SplatIotaAndParam) {
  EXPECT_EQ(evaluate<int32_t>("%i = tile.iota : tensor<4xi32>\n%p = tile.param 5 : i32\n"
                              "%s = tile.splat %p : i32 -> tensor<4xi32>\n"
                              "%r = arith.addi %i, %s : tensor<4xi32>",
                              Ints{}),
            Ints({5, 6, 7, 8}));
}

TEST_F(TileTest, BroadcastAlongEitherDimension) {
  Ints y(16);
  const std::string text = R"(tile.kernel @test(%y: !tile.ptr<i32>) grid ["1", "1", "1"] {
    %c0 = arith.constant 0 : i32
    %c2 = arith.constant 2 : i32
    %c4 = arith.constant 4 : i32
    %Y = tile.view %y sizes [%c4, %c4] strides [4, 1] : !tile.ptr<i32> -> !tile.view<?x?xi32>
    %two = tile.iota : tensor<2xi32>
    %four = tile.iota : tensor<4xi32>
    %columns = tile.broadcast %two along 1 : tensor<2xi32> -> tensor<2x4xi32>
    %rows = tile.broadcast %four along 0 : tensor<4xi32> -> tensor<2x4xi32>
    tile.store %columns, %Y[%c0, %c0] : tensor<2x4xi32>, !tile.view<?x?xi32>
    tile.store %rows, %Y[%c2, %c0] : tensor<2x4xi32>, !tile.view<?x?xi32>
    tile.return
  })";
  expectSuccess(text, {buffer(y, "y")});
  EXPECT_EQ(y, Ints({0, 0, 0, 0, 1, 1, 1, 1, 0, 1, 2, 3, 0, 1, 2, 3}));
}

static std::string sliceKernel(int column) {
  return R"(tile.kernel @test(%y: !tile.ptr<i32>) grid ["1", "1", "1"] {
    %c0 = arith.constant 0 : i32
    %c2 = arith.constant 2 : i32
    %column = arith.constant )" +
         std::to_string(column) + R"( : i32
    %Y = tile.view %y sizes [%c2, %c2] strides [2, 1] : !tile.ptr<i32> -> !tile.view<?x?xi32>
    %four = tile.iota : tensor<4xi32>
    %rows = tile.broadcast %four along 0 : tensor<4xi32> -> tensor<2x4xi32>
    %slice = tile.slice %rows[%column] : tensor<2x4xi32> -> tensor<2x2xi32>
    tile.store %slice, %Y[%c0, %c0] : tensor<2x2xi32>, !tile.view<?x?xi32>
    tile.return
  })";
}

TEST_F(TileTest, SliceTakesColumns) {
  Ints y(4);
  expectSuccess(sliceKernel(2), {buffer(y, "y")});
  EXPECT_EQ(y, Ints({2, 3, 2, 3}));
}

TEST_F(TileTest, SliceOutsideOfTheTileOrAcrossOthers) {
  Ints y(4);
  const uint64_t pointer = buffer(y, "y");
  for (int column : {1, 4, -2}) {
    messages.clear();
    expectError("expected a multiple of 2 inside of 4 columns, got " + std::to_string(column),
                sliceKernel(column), {pointer});
  }
}

TEST_F(TileTest, DotOfHalves) {
  EXPECT_EQ(dot("f16", 2, halves({1, 2, 3, 4}), halves({5, 6, 7, 8})), Floats({19, 22, 43, 50}));
  EXPECT_EQ(dot("f16", 2, halves({1, 2, 3, 4}), halves({5, 6, 7, 8}), true, {1, 10, 100, 1000}),
            Floats({20, 32, 143, 1050}));
}

TEST_F(TileTest, DotAddsInOrderOfK) {
  // In f32, 2^24 + 1 + 1 is 2^24, but 1 + 1 + 2^24 is 2^24 + 2.
  Floats result =
      dot("f16", 4, halves({4096, 1, 1, 0, 1, 1, 4096, 0}), halves({4096, 0, 1, 0, 1, 0, 0, 0}));
  EXPECT_EQ(result[0], 16777216);
  result = dot("f16", 4, halves({1, 1, 4096, 0, 0, 0, 0, 0}), halves({1, 0, 1, 0, 4096, 0, 0, 0}));
  EXPECT_EQ(result[0], 16777218);
}

TEST_F(TileTest, DotOfFloatsRoundsToTF32) {
  // A tie goes away from zero; 10 bits of the mantissa stay.
  Floats result = dot("f32", 2, Floats{1 + 0x1p-10f, 0, -1 - 0x1p-11f, 0},
                      Floats{1 + 0x1.ffcp-12f, 1 + 0x1.8p-10f, 0, 0});
  EXPECT_EQ(result, Floats({1 + 0x1p-10f, (1 + 0x1p-10f) * (1 + 0x1p-9f), -1 - 0x1p-10f,
                            -(1 + 0x1p-10f) * (1 + 0x1p-9f)}));
  EXPECT_TRUE(std::isnan(dot("f32", 2, Floats{std::nanf(""), 0, 0, 0}, Floats{1, 0, 0, 0})[0]));
}

} // namespace
