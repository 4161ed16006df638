//===- SumTest.cpp - Tests of tile.sum ------------------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InterpreterFixture.h"
#include "lora/Support/ReductionTree.h"

#include <cmath>
#include <random>

using namespace lora;
using namespace lora::interpreter;

namespace {

using Floats = std::vector<float>;

class SumTest : public InterpreterFixture {
protected:
  /// Each program sums over `below` columns of %x [1, 8192] with `clauses` and stores the sum, if
  /// it is visible, at its position along `axis` in %y. `body` defines %r, a tensor<1x1xf32>, from
  /// %x_tile, a tensor<1x32xf32>.
  std::string kernel(const std::string &clauses, const std::string &body) {
    return R"(tile.kernel @test(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %below: i32)
        grid ["1", "1", "1"] {
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %size = arith.constant 8192 : i32
      %ones = arith.constant dense<1.0> : tensor<32x1xf32>
      %X = tile.view %x sizes [%c1, %size] strides [8192, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32>
      %Y = tile.view %y sizes [%size, %c1] strides [1, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32>
      %id = tile.program_id x : i32
      %sum, %visible = tile.sum %k below %below step )" +
           clauses + R"( -> tensor<1x1xf32> {
        %x_tile = tile.load %X[%c0, %k] : !tile.view<?x?xf32> -> tensor<1x32xf32>
        )" +
           body + R"(
        tile.yield %r : tensor<1x1xf32>
      }
      scf.if %visible {
        tile.store %sum, %Y[%id, %c0] : tensor<1x1xf32>, !tile.view<?x?xf32>
      }
      tile.return
    })";
  }

  Floats sums(const std::string &clauses, const std::string &body, int32_t below,
              int64_t programs = 1) {
    Floats y(programs, -1);
    memory = Memory();
    expectSuccess(kernel(clauses, body), {buffer(x, "x", false), buffer(y, "y"), below},
                  {programs, 1, 1});
    return y;
  }

  /// The canonical sum of x[0, below) when each of `terms` gives what a block contributes, as one
  /// or more terms in order.
  template <typename Terms> float canonical(int64_t below, Terms terms) {
    ReductionTree tree(below);
    std::vector<float> nodes;
    for (int64_t leaf = 0; leaf != tree.leaves(); ++leaf) {
      float sum = 0;
      for (int64_t k = tree.leafBegin(leaf); k < tree.leafBegin(leaf + 1); k += 32)
        for (float term : terms(k))
          sum += term;
      nodes.push_back(sum);
    }
    while (nodes.size() > 1) {
      std::vector<float> next;
      for (size_t i = 0; i != nodes.size(); i += 2)
        next.push_back(nodes[i] + nodes[i + 1]);
      nodes = next;
    }
    return nodes[0];
  }

  /// Random tf32 values, zero from `below` on.
  void fillX(int64_t below) {
    std::mt19937 random(below);
    for (int64_t i = 0; i != 8192; ++i)
      x[i] = i < below
                 ? (static_cast<int>(random() % 2048) - 1024) * std::ldexp(1.0f, random() % 20)
                 : 0;
  }

  Floats x = Floats(8192);
};

const std::string kDirectDot =
    "%r = tile.dot %x_tile, %ones : tensor<1x32xf32>, tensor<32x1xf32> -> tensor<1x1xf32>";
const std::string kScaledDot = R"(
    %d = tile.dot %x_tile, %ones : tensor<1x32xf32>, tensor<32x1xf32> -> tensor<1x1xf32>
    %scale = arith.constant dense<0.7> : tensor<1x1xf32>
    %r = arith.mulf %d, %scale : tensor<1x1xf32>)";

TEST_F(SumTest, DirectDotAddsEachProductToTheLeaf) {
  for (int32_t below : {1, 32, 100, 128, 129, 1000, 4096, 5000, 8192}) {
    fillX(below);
    const float expected = canonical(below, [&](int64_t k) { return Floats(&x[k], &x[k] + 32); });
    EXPECT_EQ(sums("32", kDirectDot, below)[0], expected) << below;
  }
}

TEST_F(SumTest, OtherBodiesAddTheirResultsToTheLeaf) {
  for (int32_t below : {1, 100, 129, 5000, 8192}) {
    fillX(below);
    const float expected = canonical(below, [&](int64_t k) {
      float dot = 0;
      for (int64_t i = k; i != k + 32; ++i)
        dot += x[i];
      return Floats{dot * 0.7f};
    });
    EXPECT_EQ(sums("32", kScaledDot, below)[0], expected) << below;
  }
}

TEST_F(SumTest, NothingToSum) {
  x[0] = 5;
  EXPECT_EQ(sums("32", kDirectDot, 0)[0], 0);
  EXPECT_EQ(sums("32", kDirectDot, -1000)[0], 0);
}

TEST_F(SumTest, SplitToAllShowsEveryProgramTheSameBits) {
  fillX(5000);
  const float whole = sums("32", kDirectDot, 5000)[0];
  EXPECT_EQ(sums("32 split 4 across x to all", kDirectDot, 5000, 8), Floats(8, whole));
}

TEST_F(SumTest, SplitToOneShowsTheLastOfTheGroup) {
  fillX(5000);
  const float whole = sums("32", kDirectDot, 5000)[0];
  EXPECT_EQ(sums("32 split 4 across x to one", kDirectDot, 5000, 8),
            Floats({-1, -1, -1, whole, -1, -1, -1, whole}));
  EXPECT_EQ(sums("32 split 1 across x to one", kDirectDot, 5000, 2), Floats(2, whole));
}

TEST_F(SumTest, InvisibleSumIsPoison) {
  Floats y(2);
  std::string text = kernel("32 split 2 across x to one", kDirectDot);
  text.replace(text.find("scf.if %visible"), 15, "%always = arith.constant true\nscf.if %always");
  expectSuccess(text, {buffer(x, "x"), buffer(y, "y"), 64}, {2, 1, 1});
  EXPECT_TRUE(std::isnan(y[0]));
  EXPECT_EQ(y[1], 0);
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

TEST_F(SumTest, StepThatDoesNotDivideTheUnit) {
  expectError("'tile.sum' op in program (0, 0, 0): expected a step that divides 128, got 256",
              kernel("256", kDirectDot), {uint64_t(0), uint64_t(0), 0});
}

TEST_F(SumTest, IncompleteGroup) {
  expectError("expected a grid size along x that is a multiple of the split 4, got 6",
              kernel("32 split 4 across x to one", kDirectDot), {uint64_t(0), uint64_t(0), 0},
              {6, 1, 1});
}

TEST_F(SumTest, DivergentGroup) {
  expectError("'tile.sum' op expected all 2 programs of a group to evaluate it equally often, got "
              "program 1 of a group that did so 0 times and program 0 that did 1 times",
              R"(tile.kernel @test() grid ["1", "1", "1"] {
    %c0 = arith.constant 0 : i32
    %id = tile.program_id y : i32
    %first = arith.cmpi eq, %id, %c0 : i32
    scf.if %first {
      %sum, %visible = tile.sum %k below %c0 step 32 split 2 across y to all -> tensor<1xf32> {
        %r = arith.constant dense<0.0> : tensor<1xf32>
        tile.yield %r : tensor<1xf32>
      }
    }
    tile.return
  })",
              {}, {1, 2, 1});
}

TEST_F(SumTest, ErrorInTheBody) {
  Floats small(64);
  expectError("'tile.load' op in program (0, 0, 0): reads element [0, 64] of a view, 4 bytes, 0 "
              "bytes after the end of buffer 'x'",
              kernel("32", kDirectDot), {buffer(small, "x"), uint64_t(0), 100});
}

} // namespace
