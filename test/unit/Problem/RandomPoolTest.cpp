//===- RandomPoolTest.cpp - Tests of problems that share their data -------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Problem/RandomPool.h"
#include "../ErrorOf.h"
#include "lora/Problem/LoraProblem.h"

#include "lora/Support/Error.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

using namespace lora;

namespace {

constexpr DType types[] = {DType::F16, DType::BF16};

LoraShape example() {
  LoraShape shape;
  shape.tokens = 6;
  shape.hidden = 40;
  shape.maxLoras = 2;
  shape.maxRank = 4;
  shape.ranks = {4, 4};
  shape.sliceWidths = {20, 5};
  shape.wType = DType::BF16;
  return shape;
}

const std::vector<int32_t> tokenLora = {1, -1, 0, 0, 1, 1};

HostBuffer &bufferOf(LoraProblem &problem, const char *name) {
  return *std::find_if(problem.buffers().begin(), problem.buffers().end(),
                       [&](const HostBuffer &buffer) { return buffer.name() == name; });
}

TEST(RandomPool, WindowsHoldUniformValues) {
  RandomPool pool(types, 5000, 3000, 1);
  for (DType type : types) {
    HostBuffer x = pool.window("x", RandomPool::Kind::Activations, type, 4000, 7);
    HostBuffer a = pool.window("a", RandomPool::Kind::Weights, type, 2000, 7);
    EXPECT_TRUE(x.isShared());
    float largest = 0, sum = 0;
    for (int64_t i = 0; i < 4000; ++i) {
      float value = loadElement(type, x.as<void>(), i);
      largest = std::max(largest, std::abs(value));
      sum += value;
    }
    EXPECT_GT(largest, 0.9f);
    EXPECT_LE(largest, 1.0f);
    EXPECT_LT(std::abs(sum / 4000), 0.05f);
    for (int64_t i = 0; i < 2000; ++i)
      EXPECT_LE(std::abs(loadElement(type, a.as<void>(), i)), 0.0503f);
  }
}

TEST(RandomPool, PlacesDependOnTheSeed) {
  RandomPool pool(types, 1 << 16, 16, 1);
  auto place = [&](uint64_t seed) {
    return pool.window("x", RandomPool::Kind::Activations, DType::F16, 100, seed).bytes().data();
  };
  EXPECT_EQ(place(1), place(1));
  EXPECT_NE(place(1), place(2));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(place(2)) % HostBuffer::alignment, 0u);
  std::span<const std::byte> all = pool.buffers()[0].bytes();
  for (uint64_t seed = 0; seed < 100; ++seed) {
    EXPECT_GE(place(seed), all.data());
    EXPECT_LE(place(seed) + 200, all.data() + all.size());
  }
}

TEST(RandomPool, TooSmall) {
  RandomPool pool(std::span<const DType>(types, 1), 10, 5, 1);
  EXPECT_EQ(errorOf([&] { pool.window("a", RandomPool::Kind::Weights, DType::F16, 6, 1); }),
            "pool of random f16 values: expected 12 bytes for a, found 10");
  EXPECT_EQ(errorOf([&] { pool.window("a", RandomPool::Kind::Weights, DType::BF16, 1, 1); }),
            "pool of random bf16 values: expected 2 bytes for a, found 0");
}

TEST(RandomPool, DenseMatricesOfAProblemAreWindows) {
  RandomPool pool(types, 5000, 5000, 1);
  LoraShape shape = example();
  LoraProblem dense(LoraOp::Shrink, shape, tokenLora, 1, &pool);
  EXPECT_TRUE(bufferOf(dense, "x").isShared());
  EXPECT_TRUE(bufferOf(dense, "a[1][0]").isShared());
  EXPECT_NE(bufferOf(dense, "a[1][0]").bytes().data(), bufferOf(dense, "a[0][0]").bytes().data());
  EXPECT_FALSE(dense.output().isShared());
  EXPECT_EQ(errorOf([&] { dense.setWeights(0, 0, std::vector<uint16_t>(160)); }),
            "weights a[0][0]: expected ones that are not part of a pool");
  shape.xStride = 41;
  LoraProblem withGaps(LoraOp::Shrink, shape, tokenLora, 1, &pool);
  EXPECT_FALSE(bufferOf(withGaps, "x").isShared());
}

TEST(RandomPool, AnExpandWritesACopyOfItsWindow) {
  RandomPool pool(types, 5000, 5000, 1);
  LoraProblem problem(LoraOp::Expand, example(), tokenLora, 1, &pool);
  EXPECT_FALSE(problem.output().isShared());
  uint16_t first = problem.output().as<uint16_t>()[25];
  EXPECT_LE(std::abs(halfToFloat(first)), 1.0f);
  problem.checkUntouched();
  problem.output().as<uint16_t>()[25] ^= 1;
  EXPECT_EQ(errorOf([&] { problem.checkUntouched(); }),
            "y, row 1, column 0: was written, expected it to be left alone");
  problem.resetOutput();
  EXPECT_EQ(problem.output().as<uint16_t>()[25], first);
}

} // namespace
