//===- MmaTest.cpp - The tensor core instruction --------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelTest.h"

#include "lora/Support/Half.h"

#include <cmath>
#include <random>

namespace lora::emulator {
namespace {

using MmaTest = KernelTest;

/// One warp computes a tile from operands in row-major order, with fragments gathered element by
/// element at the places given in the PTX manual for `type`.
std::string mmaKernel(const std::string &type, int depth) {
  const bool wide = depth == 8;
  const int lhsElements = depth / 2, rhsElements = depth / 4;
  std::string body = R"(
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %c8 = arith.constant 8 : i32
    %depth = arith.constant )" +
                     std::to_string(depth) + R"( : i32
    %group = arith.shrui %tid, %c2 : i32
    %member = arith.andi %tid, %c3 : i32
    %k0 = arith.muli %member, )" +
                     (wide ? "%c1" : "%c2") + " : i32";
  auto fragment = [&](const std::string &name, const std::string &base, int elements, bool isLhs) {
    std::string list, types;
    for (int i = 0; i < elements; ++i) {
      const std::string id = name + std::to_string(i);
      int row = 0, k = 0;
      if (isLhs) {
        row = wide ? 8 * (i % 2) : 8 * (i / 2 % 2);
        k = wide ? 4 * (i / 2) : i % 2 + 8 * (i / 4);
      } else {
        k = wide ? 4 * i : i % 2 + 8 * (i / 2);
      }
      body += "\n %r" + id + " = arith.constant " + std::to_string(row) + " : i32" + "\n %s" + id +
              " = arith.constant " + std::to_string(k) + " : i32" + "\n %row" + id +
              " = arith.addi %group, %r" + id + " : i32" + "\n %k" + id + " = arith.addi %k0, %s" +
              id + " : i32";
      const std::string major = isLhs ? "%row" + id : "%k" + id;
      const std::string minor = isLhs ? "%k" + id : "%row" + id;
      body += "\n %m" + id + " = arith.muli " + major + ", " + (isLhs ? "%depth" : "%c8") +
              " : i32\n %i" + id + " = arith.addi %m" + id + ", " + minor + " : i32\n %p" + id +
              " = llvm.getelementptr " + base + "[%i" + id +
              "] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, " + type + "\n %v" + id +
              " = simt.load %p" + id + " : !llvm.ptr<1> -> " + type;
      list += (i ? ", %v" : "%v") + id;
    }
    body += "\n %" + name + " = vector.from_elements " + list + " : vector<" +
            std::to_string(elements) + "x" + type + ">";
  };
  fragment("a", "%lhs", lhsElements, true);
  fragment("b", "%rhs", rhsElements, false);
  body += R"(
    %m2 = arith.muli %member, %c2 : i32
    %top = arith.muli %group, %c8 : i32
    %e0 = arith.addi %top, %m2 : i32
    %c64 = arith.constant 64 : i32
    %e1 = arith.addi %e0, %c64 : i32
    %q0 = llvm.getelementptr %c[%e0] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %q1 = llvm.getelementptr %c[%e1] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %acc0 = simt.load %q0 : !llvm.ptr<1> -> vector<2xf32>
    %acc1 = simt.load %q1 : !llvm.ptr<1> -> vector<2xf32>
    %acc = vector.shuffle %acc0, %acc1 [0, 1, 2, 3] : vector<2xf32>, vector<2xf32>
    %d = simt.mma %a, %b, %acc : vector<)" +
          std::to_string(lhsElements) + "x" + type + ">, vector<" + std::to_string(rhsElements) +
          "x" + type + R"(>, vector<4xf32>
    %d0 = vector.shuffle %d, %d [0, 1] : vector<4xf32>, vector<4xf32>
    %d1 = vector.shuffle %d, %d [2, 3] : vector<4xf32>, vector<4xf32>
    simt.store %d0, %q0 : vector<2xf32>, !llvm.ptr<1>
    simt.store %d1, %q1 : vector<2xf32>, !llvm.ptr<1>)";
  return body;
}

/// Random values and what is left of them in the type of the operands.
template <typename Element, typename Narrow, typename Widen>
void checkTile(const std::function<std::string(std::vector<Element> &, std::vector<Element> &,
                                               std::vector<float> &)> &runTile,
               int depth, Narrow narrow, Widen widen) {
  std::mt19937 generator(depth);
  std::uniform_real_distribution<float> distribution(-2.0f, 2.0f);
  std::vector<Element> lhs(16 * depth), rhs(8 * depth);
  std::vector<float> sums(16 * 8);
  for (Element &element : lhs)
    element = narrow(distribution(generator));
  for (Element &element : rhs)
    element = narrow(distribution(generator));
  for (float &sum : sums)
    sum = distribution(generator);
  const std::vector<float> accumulator = sums;
  ASSERT_EQ(runTile(lhs, rhs, sums), "");
  for (int row = 0; row < 16; ++row) {
    for (int column = 0; column < 8; ++column) {
      double expected = accumulator[8 * row + column];
      for (int k = 0; k < depth; ++k)
        expected += static_cast<double>(widen(lhs[depth * row + k])) * widen(rhs[8 * k + column]);
      EXPECT_NEAR(sums[8 * row + column], expected, 1e-5) << row << " " << column;
    }
  }
}

class TileTest : public MmaTest {
protected:
  template <typename Element> auto runner(const std::string &type, int depth) {
    return [=, this](std::vector<Element> &lhs, std::vector<Element> &rhs,
                     std::vector<float> &sums) -> std::string {
      std::string error =
          compile(text({.arguments = "%lhs: !llvm.ptr<1>, %rhs: !llvm.ptr<1>, %c: !llvm.ptr<1>",
                        .body = mmaKernel(type, depth)}));
      if (!error.empty())
        return error;
      input(lhs, "lhs");
      input(rhs, "rhs");
      buffer(sums, "c");
      return run({lhs.data(), rhs.data(), sums.data()});
    };
  }
};

TEST_F(TileTest, MultipliesHalves) {
  checkTile<uint16_t>(runner<uint16_t>("f16", 16), 16, floatToHalf, halfToFloat);
}

TEST_F(TileTest, MultipliesBFloats) {
  checkTile<uint16_t>(runner<uint16_t>("bf16", 16), 16, floatToBFloat, bfloatToFloat);
}

TEST_F(TileTest, RoundsFloatsToTF32) {
  auto exact = [](float value) { return value; };
  auto round = [](float value) {
    int exponent;
    const float fraction = std::frexp(value, &exponent);
    return std::ldexp(std::round(std::ldexp(fraction, 11)), exponent - 11);
  };
  checkTile<float>(runner<float>("f32", 8), 8, exact, round);
}

TEST_F(MmaTest, NeedsAllLanes) {
  std::string error = tryRun({.arguments = "%p: !llvm.ptr<1>", .body = R"(
    %c5 = arith.constant 5 : i32
    %some = arith.cmpi ult, %tid, %c5 : i32
    %a = arith.constant dense<1.0> : vector<8xf16>
    %b = arith.constant dense<1.0> : vector<4xf16>
    %c = arith.constant dense<0.0> : vector<4xf32>
    scf.if %some {
      %d = simt.mma %a, %b, %c : vector<8xf16>, vector<4xf16>, vector<4xf32>
    } else {
      simt.warp_barrier
    })"});
  expectHolds(error, {"simt.mma at kernel.mlir:8:12, block (0, 0, 0), thread 0: warp-wide op "
                      "without all its lanes: warp 0 (lanes 0-4 at simt.mma kernel.mlir:8:12, "
                      "lanes 5-31 at simt.warp_barrier kernel.mlir:10:7)"});
}

TEST_F(MmaTest, NeedsLanesThatReturned) {
  std::string error = tryRun({.arguments = "%p: !llvm.ptr<1>", .body = R"(
    %c31 = arith.constant 31 : i32
    %some = arith.cmpi ult, %tid, %c31 : i32
    %a = arith.constant dense<1.0> : vector<4xf32>
    %b = arith.constant dense<1.0> : vector<2xf32>
    scf.if %some {
      %d = simt.mma %a, %b, %a : vector<4xf32>, vector<2xf32>, vector<4xf32>
    })"});
  expectHolds(error, {"simt.mma", "lanes 0-30 at simt.mma", "lane 31 returned"});
}

} // namespace
} // namespace lora::emulator
