//===- AccessTest.cpp - Tests of views, loads and stores ------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InterpreterFixture.h"
#include "lora/Support/Half.h"

#include <numeric>

using namespace lora;
using namespace lora::interpreter;

namespace {

using Floats = std::vector<float>;
using Ints = std::vector<int32_t>;

class AccessTest : public InterpreterFixture {
protected:
  AccessTest() { std::iota(x.begin(), x.end(), 0); }

  /// A kernel over %x, a matrix of f32 with 3 rows of 5 at a stride of 6, and %y. Its views are %X
  /// and %Y, which has `ySizes`, and %c0 to %c3 are numbers.
  std::string kernel(const std::string &body) {
    return R"(tile.kernel @test(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>) grid ["1", "1", "1"] {
      %minus = arith.constant -1 : i32
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %c2 = arith.constant 2 : i32
      %c3 = arith.constant 3 : i32
      %c4 = arith.constant 4 : i32
      %c5 = arith.constant 5 : i32
      %X = tile.view %x sizes [%c3, %c5] strides [6, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32>
      %Y = tile.view %y sizes [%c4, %c4] strides [4, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32>
    )" + body +
           "\ntile.return\n}";
  }

  void expectY(const std::string &body, const Floats &expected) {
    memory = Memory();
    expectSuccess(kernel(body), {buffer(x, "x", false), buffer(y, "y")});
    EXPECT_EQ(y, expected);
  }

  void expectAccessError(const std::string &message, const std::string &body) {
    expectError(message, kernel(body), {buffer(x, "x", false), buffer(y, "y")});
  }

  /// The matrix ends with its last element.
  Floats x = Floats(17);
  Floats y = Floats(16, -1);
};

TEST_F(AccessTest, LoadGivesZeroOutsideTheView) {
  expectY(R"(%t = tile.load %X[%c1, %c3] : !tile.view<?x?xf32> -> tensor<4x4xf32>
             tile.store %t, %Y[%c0, %c0] : tensor<4x4xf32>, !tile.view<?x?xf32>)",
          {9, 10, 0, 0, 15, 16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
}

TEST_F(AccessTest, LoadAtNegativeCoordinatesGivesPadding) {
  expectY(R"(%t = tile.load %X[%minus, %minus] padding 7.0 : f32
                 : !tile.view<?x?xf32> -> tensor<2x4xf32>
             tile.store %t, %Y[%c0, %c0] : tensor<2x4xf32>, !tile.view<?x?xf32>)",
          {7, 7, 7, 7, 7, 0, 1, 2, -1, -1, -1, -1, -1, -1, -1, -1});
}

TEST_F(AccessTest, TransposeSwapsCoordinates) {
  expectY(R"(%Xt = tile.transpose %X : !tile.view<?x?xf32>
             %t = tile.load %Xt[%c3, %c0] : !tile.view<?x?xf32> -> tensor<4x4xf32>
             tile.store %t, %Y[%c0, %c0] : tensor<4x4xf32>, !tile.view<?x?xf32>)",
          {3, 9, 15, 0, 4, 10, 16, 0, 0, 0, 0, 0, 0, 0, 0, 0});
}

TEST_F(AccessTest, GatherTakesRowsInAnyOrder) {
  expectY(R"(%rows = arith.constant dense<[2, -1, 0, 3]> : tensor<4xi32>
             %t = tile.gather %X[%rows, %c1]
                 : !tile.view<?x?xf32>, tensor<4xi32> -> tensor<4x4xf32>
             tile.store %t, %Y[%c0, %c0] : tensor<4x4xf32>, !tile.view<?x?xf32>)",
          {13, 14, 15, 16, 0, 0, 0, 0, 1, 2, 3, 4, 0, 0, 0, 0});
}

TEST_F(AccessTest, StoreDropsWhatIsOutside) {
  expectY(R"(%t = arith.constant dense<5.0> : tensor<4x4xf32>
             tile.store %t, %Y[%c2, %c3] : tensor<4x4xf32>, !tile.view<?x?xf32>
             tile.store %t, %Y[%minus, %minus] accumulate : tensor<4x4xf32>, !tile.view<?x?xf32>)",
          {4, 4, 4, -1, 4, 4, 4, -1, 4, 4, 4, 5, -1, -1, -1, 5});
}

TEST_F(AccessTest, ScatterWritesRowsInsideOnly) {
  expectY(R"(%rows = arith.constant dense<[3, -1, 9, -1]> : tensor<4xi32>
             %t = arith.constant dense<2.0> : tensor<4x4xf32>
             tile.scatter %t, %Y[%rows, %c2] : tensor<4x4xf32>, !tile.view<?x?xf32>, tensor<4xi32>
             tile.scatter %t, %Y[%rows, %c3] accumulate
                 : tensor<4x4xf32>, !tile.view<?x?xf32>, tensor<4xi32>)",
          {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 2, 4});
}

TEST_F(AccessTest, LoadScalar) {
  expectY(R"(%a = tile.load_scalar %X[%c2, %c4] : !tile.view<?x?xf32> -> f32
             %b = tile.load_scalar %X[%c3, %c0] : !tile.view<?x?xf32> -> f32
             %ta = tile.splat %a : f32 -> tensor<1x2xf32>
             %tb = tile.splat %b : f32 -> tensor<1x2xf32>
             tile.store %ta, %Y[%c0, %c0] : tensor<1x2xf32>, !tile.view<?x?xf32>
             tile.store %tb, %Y[%c0, %c2] : tensor<1x2xf32>, !tile.view<?x?xf32>)",
          {16, 16, 0, 0, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1});
}

TEST_F(AccessTest, SubviewOutsideIsEmpty) {
  expectY(R"(%big = tile.view %x sizes [%c2, %c2, %c2] strides [6, 2, 1]
                 : !tile.ptr<f32> -> !tile.view<?x?x?xf32>
             %in = tile.subview %big[%c1] : !tile.view<?x?x?xf32> -> !tile.view<?x?xf32>
             %out = tile.subview %big[%c2] : !tile.view<?x?x?xf32> -> !tile.view<?x?xf32>
             %a = tile.load %in[%c0, %c0] : !tile.view<?x?xf32> -> tensor<2x2xf32>
             %b = tile.load %out[%c0, %c0] : !tile.view<?x?xf32> -> tensor<2x2xf32>
             tile.store %a, %Y[%c0, %c0] : tensor<2x2xf32>, !tile.view<?x?xf32>
             tile.store %b, %Y[%c2, %c0] : tensor<2x2xf32>, !tile.view<?x?xf32>)",
          {6, 7, -1, -1, 8, 9, -1, -1, 0, 0, -1, -1, 0, 0, -1, -1});
}

TEST_F(AccessTest, EmptyViewIsNeverRead) {
  const std::string text = R"(tile.kernel @test(%x: !tile.ptr<f32>) grid ["1", "1", "1"] {
    %zero = arith.constant 0 : i32
    %less = arith.constant -3 : i32
    %V = tile.view %x sizes [%less] strides [1] : !tile.ptr<f32> -> !tile.view<?xf32>
    %t = tile.load %V[%zero] : !tile.view<?xf32> -> tensor<4xf32>
    %s = tile.load_scalar %V[%less] : !tile.view<?xf32> -> f32
    tile.store %t, %V[%zero] : tensor<4xf32>, !tile.view<?xf32>
    tile.return
  })";
  expectSuccess(text, {uint64_t(0)});
}

TEST_F(AccessTest, TablesOfPointersHoldAddresses) {
  Floats weights = {1, 2, 3, 4};
  std::vector<uint64_t> table = {0, buffer(weights, "weights", false)};
  const std::string text =
      R"(tile.kernel @test(%table: !tile.ptr<!tile.ptr<f32>>, %y: !tile.ptr<f32>)
      grid ["1", "1", "1"] {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c4 = arith.constant 4 : i32
    %T = tile.view %table sizes [%c2] strides [1]
        : !tile.ptr<!tile.ptr<f32>> -> !tile.view<?x!tile.ptr<f32>>
    %p = tile.load_scalar %T[%c1] : !tile.view<?x!tile.ptr<f32>> -> !tile.ptr<f32>
    %null = tile.load_scalar %T[%c2] : !tile.view<?x!tile.ptr<f32>> -> !tile.ptr<f32>
    %W = tile.view %p sizes [%c4] strides [1] : !tile.ptr<f32> -> !tile.view<?xf32>
    %N = tile.view %null sizes [%c0] strides [1] : !tile.ptr<f32> -> !tile.view<?xf32>
    %Y = tile.view %y sizes [%c4] strides [1] : !tile.ptr<f32> -> !tile.view<?xf32>
    %w = tile.load %W[%c0] : !tile.view<?xf32> -> tensor<4xf32>
    %n = tile.load %N[%c0] : !tile.view<?xf32> -> tensor<4xf32>
    %sum = arith.addf %w, %n : tensor<4xf32>
    tile.store %sum, %Y[%c0] : tensor<4xf32>, !tile.view<?xf32>
    tile.return
  })";
  expectSuccess(text, {buffer(table, "table", false), buffer(y, "y")});
  EXPECT_EQ(Floats(y.begin(), y.begin() + 4), weights);
}

TEST_F(AccessTest, AccumulateRoundsTheSumOnce) {
  // 2048 + 1 + 2^-12 is above the tie between 2048 and 2050; rounding the addend first, it is not.
  std::vector<uint16_t> half = {floatToHalf(2048), floatToHalf(2048)};
  const std::string text = R"(tile.kernel @test(%y: !tile.ptr<f16>) grid ["1", "1", "1"] {
    %c0 = arith.constant 0 : i32
    %c2 = arith.constant 2 : i32
    %Y = tile.view %y sizes [%c2] strides [1] : !tile.ptr<f16> -> !tile.view<?xf16>
    %t = arith.constant dense<[1.0, 1.000244140625]> : tensor<2xf32>
    tile.store %t, %Y[%c0] accumulate : tensor<2xf32>, !tile.view<?xf16>
    tile.return
  })";
  expectSuccess(text, {buffer(half, "y")});
  EXPECT_EQ(half[0], floatToHalf(2048));
  EXPECT_EQ(half[1], floatToHalf(2050));
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

TEST_F(AccessTest, ReadPastTheEndOfABuffer) {
  expectAccessError("'tile.load' op in program (0, 0, 0): reads element [3, 0] of a view, 4 bytes, "
                    "4 bytes after the end of buffer 'x' of 68 bytes; expected them inside one "
                    "buffer",
                    R"(%V = tile.view %x sizes [%c4, %c5] strides [6, 1]
                           : !tile.ptr<f32> -> !tile.view<?x?xf32>
                       %t = tile.load %V[%c0, %c0] : !tile.view<?x?xf32> -> tensor<4x4xf32>)");
  ASSERT_EQ(messages.size(), 2u);
  EXPECT_EQ(messages[1],
            "the memory is described here; the view has sizes [4, 5] and strides [6, 1]");
}

TEST_F(AccessTest, WriteToAReadOnlyBuffer) {
  expectAccessError("writes element [0, 0] of a view, 4 bytes, in buffer 'x', which is read-only",
                    R"(%t = arith.constant dense<5.0> : tensor<4x4xf32>
                       tile.store %t, %X[%c0, %c0] : tensor<4x4xf32>, !tile.view<?x?xf32>)");
}

TEST_F(AccessTest, ScatterPastTheEndOfABuffer) {
  expectAccessError("'tile.scatter' op in program (0, 0, 0): writes element [4, 0] of a view",
                    R"(%rows = arith.constant dense<4> : tensor<1xi32>
                       %V = tile.view %y sizes [%c5, %c5] strides [4, 1]
                           : !tile.ptr<f32> -> !tile.view<?x?xf32>
                       %t = arith.constant dense<5.0> : tensor<1x4xf32>
                       tile.scatter %t, %V[%rows, %c0]
                           : tensor<1x4xf32>, !tile.view<?x?xf32>, tensor<1xi32>)");
}

TEST_F(AccessTest, DuplicateRowInAScatter) {
  expectAccessError("expected distinct row indices inside the view, got 2 twice",
                    R"(%rows = arith.constant dense<[2, 7, 7, 2]> : tensor<4xi32>
                       %t = arith.constant dense<5.0> : tensor<4x4xf32>
                       tile.scatter %t, %Y[%rows, %c0]
                           : tensor<4x4xf32>, !tile.view<?x?xf32>, tensor<4xi32>)");
}

TEST_F(AccessTest, NegativeStride) {
  expectAccessError("expected strides that are not negative, got -1 in dimension 0",
                    R"(%s = arith.constant -1 : i64
                       %V = tile.view %y sizes [%c5] strides [%s]
                           : !tile.ptr<f32> -> !tile.view<?xf32>)");
}

TEST_F(AccessTest, StrideThatOverflows) {
  expectAccessError("reads element [1] of a view, 4 bytes",
                    R"(%s = arith.constant 4611686018427387903 : i64
                       %V = tile.view %y sizes [%c5] strides [%s]
                           : !tile.ptr<f32> -> !tile.view<?xf32>
                       %t = tile.load %V[%c0] : !tile.view<?xf32> -> tensor<4xf32>)");
}

TEST_F(AccessTest, MisalignedElement) {
  expectError("at an address that is 2 modulo 4 in buffer 'y'; expected it aligned to the element",
              kernel("%s = tile.load_scalar %X[%c0, %c0] : !tile.view<?x?xf32> -> f32"),
              {buffer(y, "y") + 2, uint64_t(0)});
}

TEST_F(AccessTest, NullPointer) {
  expectError("of buffer 'y' of 64 bytes",
              kernel("%s = tile.load_scalar %X[%c0, %c0] : !tile.view<?x?xf32> -> f32"),
              {uint64_t(0), buffer(y, "y")});
}

TEST_F(AccessTest, TwoProgramsAccumulateToOneElement) {
  expectError("'tile.store' op in program (1, 0, 0): accumulates to an element that program "
              "(0, 0, 0) has accumulated to",
              kernel(R"(%t = arith.constant dense<5.0> : tensor<4x4xf32>
                        tile.store %t, %Y[%c0, %c0] accumulate
                            : tensor<4x4xf32>, !tile.view<?x?xf32>)"),
              {buffer(x, "x"), buffer(y, "y")}, {2, 1, 1});
}

} // namespace
