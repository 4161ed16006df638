//===- ArithmeticTest.cpp - Tests of arith and math ops -------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InterpreterFixture.h"
#include "lora/Support/Half.h"

#include <cmath>
#include <limits>

using namespace lora;
using namespace lora::interpreter;

namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

using Floats = std::vector<float>;
using Ints = std::vector<int32_t>;
using Longs = std::vector<int64_t>;
using Halves = std::vector<uint16_t>;

class ArithmeticTest : public InterpreterFixture {
protected:
  Floats floats(const std::string &op, Floats a, Floats b = {}) {
    return evaluate<float>("%r = " + op + " : tensor<4xf32>", a, b);
  }
  Ints ints(const std::string &op, Ints a, Ints b) {
    return evaluate<int32_t>("%r = " + op + " %a, %b : tensor<4xi32>", a, b);
  }
  /// The results of a comparison as 0 or 1.
  template <typename T> Ints compare(const std::string &op, std::vector<T> a, std::vector<T> b) {
    const std::string type = kTypeName<T>;
    return evaluate<int32_t>("%c1 = " + op + ", %a, %b : tensor<4x" + type +
                                 ">\n%r = arith.extui %c1 : tensor<4xi1> to tensor<4xi32>",
                             a, b);
  }
};

TEST_F(ArithmeticTest, Floats) {
  EXPECT_EQ(floats("arith.addf %a, %b", {1, 2, -1, kInf}, {2, 0.5, 1, 1}),
            Floats({3, 2.5, 0, kInf}));
  EXPECT_EQ(floats("arith.subf %a, %b", {1, 2, -1, 0}, {2, 0.5, 1, 1}), Floats({-1, 1.5, -2, -1}));
  EXPECT_EQ(floats("arith.mulf %a, %b", {1, 2, -1, 3}, {2, 0.5, 1, 1}), Floats({2, 1, -1, 3}));
  EXPECT_EQ(floats("arith.divf %a, %b", {1, 2, -1, 1}, {2, 0.5, 1, 0}), Floats({0.5, 4, -1, kInf}));
  EXPECT_EQ(floats("arith.negf %a", {1, -2, 0, kInf}), Floats({-1, 2, -0.0, -kInf}));
}

TEST_F(ArithmeticTest, HalfFloatsRoundOnceAnOp) {
  // 2048 + 1 is a tie between 2048 and 2050 in f16: to even.
  Halves a = {floatToHalf(2048), floatToHalf(2048), floatToHalf(1), floatToHalf(60000)};
  Halves b = {floatToHalf(1), floatToHalf(3), floatToHalf(2), floatToHalf(60000)};
  Halves sum = evaluate<uint16_t>("%r = arith.addf %a, %b : tensor<4xf16>", a, b);
  EXPECT_EQ(sum, Halves({floatToHalf(2048), floatToHalf(2052), floatToHalf(3), 0x7c00}));

  Halves x = {floatToBFloat(256), floatToBFloat(256), floatToBFloat(1), floatToBFloat(3)};
  Halves y = {floatToBFloat(1), floatToBFloat(3), floatToBFloat(2), floatToBFloat(4)};
  Halves added =
      evaluateAs<uint16_t>("bf16", "bf16", "%r = arith.addf %a, %b : tensor<4xbf16>", x, y);
  EXPECT_EQ(added,
            Halves({floatToBFloat(256), floatToBFloat(260), floatToBFloat(3), floatToBFloat(7)}));
}

TEST_F(ArithmeticTest, MinimaAndMaxima) {
  const Floats a = {1, kNaN, -0.0f, 2}, b = {2, 1, 0.0f, kNaN};
  Floats maximum = floats("arith.maximumf %a, %b", a, b);
  EXPECT_EQ(maximum[0], 2);
  EXPECT_TRUE(std::isnan(maximum[1]) && std::isnan(maximum[3]));
  EXPECT_FALSE(std::signbit(maximum[2]));
  Floats minimum = floats("arith.minimumf %a, %b", a, b);
  EXPECT_EQ(minimum[0], 1);
  EXPECT_TRUE(std::isnan(minimum[1]) && std::isnan(minimum[3]));
  EXPECT_TRUE(std::signbit(minimum[2]));
  EXPECT_EQ(floats("arith.maxnumf %a, %b", a, b), Floats({2, 1, 0, 2}));
  EXPECT_EQ(floats("arith.minnumf %a, %b", a, b), Floats({1, 1, 0, 2}));
}

TEST_F(ArithmeticTest, MathFunctions) {
  EXPECT_EQ(floats("math.absf %a", {1, -2, -0.0, -kInf}), Floats({1, 2, 0, kInf}));
  EXPECT_EQ(floats("math.sqrt %a", {4, 9, 0, 2}), Floats({2, 3, 0, std::sqrt(2.0f)}));
  EXPECT_EQ(floats("math.rsqrt %a", {4, 16, 1, 0}), Floats({0.5, 0.25, 1, kInf}));
  EXPECT_EQ(floats("math.exp %a", {0, 1, -kInf, 2}),
            Floats({1, std::exp(1.0f), 0, std::exp(2.0f)}));
  EXPECT_EQ(floats("math.exp2 %a", {0, 1, -1, 10}), Floats({1, 2, 0.5, 1024}));
  EXPECT_EQ(floats("math.log %a", {1, 0, 2, kInf}), Floats({0, -kInf, std::log(2.0f), kInf}));
  EXPECT_EQ(floats("math.log2 %a", {1, 2, 0.5, 1024}), Floats({0, 1, -1, 10}));
  EXPECT_EQ(floats("math.tanh %a", {0, kInf, -kInf, 1}), Floats({0, 1, -1, std::tanh(1.0f)}));
  EXPECT_EQ(floats("math.floor %a", {1.5, -1.5, 2, 0}), Floats({1, -2, 2, 0}));
  EXPECT_EQ(floats("math.ceil %a", {1.5, -1.5, 2, 0}), Floats({2, -1, 2, 0}));
  // (1 + 2^-12)^2 - 1: the product alone would lose the 2^-24.
  const float x = 1 + 0x1p-12f;
  EXPECT_EQ(evaluate<float>("%r = math.fma %a, %b, %c : tensor<4xf32>", Floats{x, 2}, Floats{x, 3},
                            Floats{-1, 4})[0],
            0x1p-11f + 0x1p-24f);
}

TEST_F(ArithmeticTest, IntegersWrapAround) {
  EXPECT_EQ(ints("arith.addi", {INT32_MAX, 1, -1, 5}, {1, 2, 1, 6}), Ints({INT32_MIN, 3, 0, 11}));
  EXPECT_EQ(ints("arith.subi", {INT32_MIN, 1, -1, 5}, {1, 2, 1, 6}), Ints({INT32_MAX, -1, -2, -1}));
  EXPECT_EQ(ints("arith.muli", {65536, -3, 2, 0}, {65536, 3, 5, 1}), Ints({0, -9, 10, 0}));
  EXPECT_EQ(
      evaluate<int64_t>("%r = arith.addi %a, %b : tensor<4xi64>", Longs{INT64_MAX}, Longs{1})[0],
      INT64_MIN);
}

TEST_F(ArithmeticTest, Divisions) {
  EXPECT_EQ(ints("arith.divsi", {7, -7, 7, -7}, {2, 2, -2, -2}), Ints({3, -3, -3, 3}));
  EXPECT_EQ(ints("arith.remsi", {7, -7, 7, 8}, {2, 2, -2, -1}), Ints({1, -1, 1, 0}));
  EXPECT_EQ(ints("arith.floordivsi", {7, -7, 7, -6}, {2, 2, -2, 2}), Ints({3, -4, -4, -3}));
  EXPECT_EQ(ints("arith.ceildivsi", {7, -7, 7, 6}, {2, 2, -2, 2}), Ints({4, -3, -3, 3}));
  EXPECT_EQ(ints("arith.divui", {-1, 7, 8, 9}, {2, 2, 2, -1}), Ints({INT32_MAX, 3, 4, 0}));
  EXPECT_EQ(ints("arith.remui", {-1, 7, 8, 9}, {2, 2, 3, -1}), Ints({1, 1, 2, 9}));
  EXPECT_EQ(ints("arith.ceildivui", {-1, 7, 8, 0}, {2, 2, 2, 5}), Ints({INT32_MIN, 4, 4, 0}));
}

TEST_F(ArithmeticTest, OtherIntegerOps) {
  EXPECT_EQ(ints("arith.minsi", {-1, 1, 2, 3}, {1, 2, 1, 3}), Ints({-1, 1, 1, 3}));
  EXPECT_EQ(ints("arith.maxsi", {-1, 1, 2, 3}, {1, 2, 1, 3}), Ints({1, 2, 2, 3}));
  EXPECT_EQ(ints("arith.minui", {-1, 1, 2, 3}, {1, 2, 1, 3}), Ints({1, 1, 1, 3}));
  EXPECT_EQ(ints("arith.maxui", {-1, 1, 2, 3}, {1, 2, 1, 3}), Ints({-1, 2, 2, 3}));
  EXPECT_EQ(ints("arith.andi", {6, -1, 0, 1}, {3, 8, 1, 1}), Ints({2, 8, 0, 1}));
  EXPECT_EQ(ints("arith.ori", {6, -1, 0, 1}, {3, 8, 1, 1}), Ints({7, -1, 1, 1}));
  EXPECT_EQ(ints("arith.xori", {6, -1, 0, 1}, {3, 8, 1, 1}), Ints({5, -9, 1, 0}));
  EXPECT_EQ(ints("arith.shli", {1, 3, -1, 1}, {31, 1, 4, 0}), Ints({INT32_MIN, 6, -16, 1}));
  EXPECT_EQ(ints("arith.shrsi", {-8, 8, INT32_MIN, 1}, {1, 1, 31, 0}), Ints({-4, 4, -1, 1}));
  EXPECT_EQ(ints("arith.shrui", {-8, 8, INT32_MIN, 1}, {1, 1, 31, 0}), Ints({0x7ffffffc, 4, 1, 1}));
}

TEST_F(ArithmeticTest, IntegerComparisons) {
  const Ints a = {-1, 1, 2, 0}, b = {1, -1, 2, 3};
  EXPECT_EQ(compare("arith.cmpi eq", a, b), Ints({0, 0, 1, 0}));
  EXPECT_EQ(compare("arith.cmpi ne", a, b), Ints({1, 1, 0, 1}));
  EXPECT_EQ(compare("arith.cmpi slt", a, b), Ints({1, 0, 0, 1}));
  EXPECT_EQ(compare("arith.cmpi sle", a, b), Ints({1, 0, 1, 1}));
  EXPECT_EQ(compare("arith.cmpi sgt", a, b), Ints({0, 1, 0, 0}));
  EXPECT_EQ(compare("arith.cmpi sge", a, b), Ints({0, 1, 1, 0}));
  EXPECT_EQ(compare("arith.cmpi ult", a, b), Ints({0, 1, 0, 1}));
  EXPECT_EQ(compare("arith.cmpi ule", a, b), Ints({0, 1, 1, 1}));
  EXPECT_EQ(compare("arith.cmpi ugt", a, b), Ints({1, 0, 0, 0}));
  EXPECT_EQ(compare("arith.cmpi uge", a, b), Ints({1, 0, 1, 0}));
}

TEST_F(ArithmeticTest, FloatComparisons) {
  const Floats a = {1, 2, 3, kNaN}, b = {2, 2, 2, 1};
  EXPECT_EQ(compare("arith.cmpf false", a, b), Ints({0, 0, 0, 0}));
  EXPECT_EQ(compare("arith.cmpf oeq", a, b), Ints({0, 1, 0, 0}));
  EXPECT_EQ(compare("arith.cmpf ogt", a, b), Ints({0, 0, 1, 0}));
  EXPECT_EQ(compare("arith.cmpf oge", a, b), Ints({0, 1, 1, 0}));
  EXPECT_EQ(compare("arith.cmpf olt", a, b), Ints({1, 0, 0, 0}));
  EXPECT_EQ(compare("arith.cmpf ole", a, b), Ints({1, 1, 0, 0}));
  EXPECT_EQ(compare("arith.cmpf one", a, b), Ints({1, 0, 1, 0}));
  EXPECT_EQ(compare("arith.cmpf ord", a, b), Ints({1, 1, 1, 0}));
  EXPECT_EQ(compare("arith.cmpf ueq", a, b), Ints({0, 1, 0, 1}));
  EXPECT_EQ(compare("arith.cmpf ugt", a, b), Ints({0, 0, 1, 1}));
  EXPECT_EQ(compare("arith.cmpf uge", a, b), Ints({0, 1, 1, 1}));
  EXPECT_EQ(compare("arith.cmpf ult", a, b), Ints({1, 0, 0, 1}));
  EXPECT_EQ(compare("arith.cmpf ule", a, b), Ints({1, 1, 0, 1}));
  EXPECT_EQ(compare("arith.cmpf une", a, b), Ints({1, 0, 1, 1}));
  EXPECT_EQ(compare("arith.cmpf uno", a, b), Ints({0, 0, 0, 1}));
  EXPECT_EQ(compare("arith.cmpf true", a, b), Ints({1, 1, 1, 1}));
}

TEST_F(ArithmeticTest, SelectByTileAndByScalar) {
  EXPECT_EQ(evaluate<int32_t>("%m = arith.cmpi sgt, %a, %b : tensor<4xi32>\n"
                              "%r = arith.select %m, %a, %c : tensor<4xi1>, tensor<4xi32>",
                              Ints{1, 2, 3, 4}, Ints{2, 1, 4, 3}, Ints{9, 9, 9, 9}),
            Ints({9, 2, 9, 4}));
  EXPECT_EQ(evaluate<float>("%m = arith.constant false\n"
                            "%r = arith.select %m, %a, %b : tensor<4xf32>",
                            Floats{1, 2, 3, 4}, Floats{5, 6, 7, 8}),
            Floats({5, 6, 7, 8}));
}

TEST_F(ArithmeticTest, Constants) {
  EXPECT_EQ(floats("arith.constant dense<1.5>", {}), Floats({1.5, 1.5, 1.5, 1.5}));
  EXPECT_EQ(evaluate<int32_t>("%r = arith.constant dense<[1, -2, 3, 4]> : tensor<4xi32>", Ints{}),
            Ints({1, -2, 3, 4}));
  EXPECT_EQ(evaluate<uint16_t>("%r = arith.constant dense<0.5> : tensor<4xf16>", Halves{})[3],
            floatToHalf(0.5));
  EXPECT_EQ(
      evaluate<int32_t>("%m = arith.constant dense<[true, false, true, true]> : tensor<4xi1>\n"
                        "%r = arith.extsi %m : tensor<4xi1> to tensor<4xi32>",
                        Ints{}),
      Ints({-1, 0, -1, -1}));
}

TEST_F(ArithmeticTest, FloatConversions) {
  EXPECT_EQ(evaluate<float>("%r = arith.extf %a : tensor<4xf16> to tensor<4xf32>",
                            Halves{floatToHalf(1.5), floatToHalf(-2), 0x7c00, 1}),
            Floats({1.5, -2, kInf, 0x1p-24f}));
  EXPECT_EQ(evaluate<uint16_t>("%r = arith.truncf %a : tensor<4xf32> to tensor<4xf16>",
                               Floats{2049, 2051, 1e6, 0x1p-25f}),
            Halves({floatToHalf(2048), floatToHalf(2052), 0x7c00, 0}));
  EXPECT_EQ(
      evaluate<uint16_t>("%r = tile.cast %a : tensor<4xf32> -> tensor<4xf16>", Floats{2049})[0],
      floatToHalf(2048));
  EXPECT_EQ(evaluate<float>("%r = arith.sitofp %a : tensor<4xi32> to tensor<4xf32>",
                            Ints{-1, 2, 0, 16777217}),
            Floats({-1, 2, 0, 16777216}));
  EXPECT_EQ(evaluate<float>("%r = arith.uitofp %a : tensor<4xi32> to tensor<4xf32>", Ints{-1, 2}),
            Floats({0x1p32f, 2, 0, 0}));
  EXPECT_EQ(evaluate<int32_t>("%r = arith.fptosi %a : tensor<4xf32> to tensor<4xi32>",
                              Floats{-1.9, 1.9, -0x1p31f, 0}),
            Ints({-1, 1, INT32_MIN, 0}));
  EXPECT_EQ(evaluate<int32_t>("%r = arith.fptoui %a : tensor<4xf32> to tensor<4xi32>",
                              Floats{-0.9, 1.9, 0x1p31f, 0}),
            Ints({0, 1, INT32_MIN, 0}));
  EXPECT_EQ(evaluate<int32_t>("%r = arith.bitcast %a : tensor<4xf32> to tensor<4xi32>",
                              Floats{1, -0.0, kInf, 0}),
            Ints({0x3f800000, INT32_MIN, 0x7f800000, 0}));
}

TEST_F(ArithmeticTest, IntegerConversions) {
  EXPECT_EQ(evaluate<int64_t>("%r = arith.extsi %a : tensor<4xi32> to tensor<4xi64>", Ints{-1, 2}),
            Longs({-1, 2, 0, 0}));
  EXPECT_EQ(evaluate<int64_t>("%r = arith.extui %a : tensor<4xi32> to tensor<4xi64>", Ints{-1, 2}),
            Longs({0xffffffff, 2, 0, 0}));
  EXPECT_EQ(evaluate<int32_t>("%r = arith.trunci %a : tensor<4xi64> to tensor<4xi32>",
                              Longs{0x1ffffffff, 7}),
            Ints({-1, 7, 0, 0}));
  EXPECT_EQ(evaluate<int32_t>("%c2 = arith.constant -2 : i32\n"
                              "%i = arith.index_cast %c2 : i32 to index\n"
                              "%j = arith.index_cast %i : index to i32\n"
                              "%r = tile.splat %j : i32 -> tensor<4xi32>",
                              Ints{})[0],
            -2);
}

//===----------------------------------------------------------------------===//
// Undefined results
//===----------------------------------------------------------------------===//

struct UndefinedCase {
  std::string op;
  std::string message;
};

class UndefinedTest : public InterpreterFixture,
                      public ::testing::WithParamInterface<UndefinedCase> {};

TEST_P(UndefinedTest, IsAnError) {
  expectError(GetParam().message, R"(tile.kernel @test() grid ["1", "1", "1"] {
    %seven = arith.constant 7 : i32
    %zero = arith.constant 0 : i32
    %least = arith.constant -2147483648 : i32
    %minus = arith.constant -1 : i32
    %wide = arith.constant 32 : i32
    %big = arith.constant 3.0e9 : f32
    %nan = arith.constant 0x7fc00000 : f32
    %below = arith.constant -1.0 : f32
    )" + GetParam().op + "\ntile.return\n}");
}

INSTANTIATE_TEST_SUITE_P(
    Arithmetic, UndefinedTest,
    ::testing::Values(
        UndefinedCase{"%r = arith.divsi %seven, %zero : i32",
                      "'arith.divsi' op in program (0, 0, 0): division by zero: operands 7 and 0"},
        UndefinedCase{"%r = arith.divui %seven, %zero : i32", "division by zero"},
        UndefinedCase{"%r = arith.remsi %seven, %zero : i32", "division by zero"},
        UndefinedCase{"%r = arith.remui %seven, %zero : i32", "division by zero"},
        UndefinedCase{"%r = arith.ceildivsi %seven, %zero : i32", "division by zero"},
        UndefinedCase{"%r = arith.ceildivui %seven, %zero : i32", "division by zero"},
        UndefinedCase{"%r = arith.floordivsi %seven, %zero : i32", "division by zero"},
        UndefinedCase{"%r = arith.divsi %least, %minus : i32", "the quotient overflows"},
        UndefinedCase{"%r = arith.remsi %least, %minus : i32", "the quotient overflows"},
        UndefinedCase{"%r = arith.ceildivsi %least, %minus : i32", "the quotient overflows"},
        UndefinedCase{"%r = arith.shli %seven, %wide : i32", "shift by less than the width"},
        UndefinedCase{"%r = arith.shrsi %seven, %minus : i32", "shift by less than the width"},
        UndefinedCase{"%r = arith.fptosi %big : f32 to i32", "expected a value that fits 'i32'"},
        UndefinedCase{"%r = arith.fptosi %nan : f32 to i32", "expected a value that fits 'i32'"},
        UndefinedCase{"%r = arith.fptoui %below : f32 to i32", "expected a value that fits 'i32'"},
        UndefinedCase{"%r = arith.truncf %big downward : f32 to f16", "rounding to_nearest_even"}));

} // namespace
