//===- GatheredSumsTest.cpp - Sums of rows in a loop ----------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelRun.h"

using namespace lora;

namespace {

constexpr int kRows = 23, kWidth = 32;

class GatheredSums : public KernelRun {
public:
  GatheredSums(DType type, int count, int columns)
      : KernelRun("gathered_sums.mlir", type, 3), columns(columns) {
    std::mt19937 random(5);
    for (int i = 0; i != count; ++i)
      from.push_back(static_cast<int>(random() % kRows));
    addMatrix("x", int64_t(kRows) * columns);
    addMatrix("y", int64_t(count) * kWidth);
    addMatrix("z", int64_t(kRows) * kWidth);
    addValues<int32_t>("from", from);
    arguments.setI32("count", count);
    arguments.setI32("rows", kRows);
    arguments.setI32("columns", columns);
    arguments.setI64("x_stride", columns);
  }

  void expectSums() {
    for (size_t i = 0; i != from.size(); ++i)
      for (int c = 0; c != kWidth; ++c) {
        double sum = at("z", int64_t(from[i]) * kWidth + c), magnitude = std::abs(sum);
        for (int column = c; column < columns; column += kWidth) {
          double value = at("x", int64_t(from[i]) * columns + column);
          sum += value;
          magnitude += std::abs(value);
        }
        double found = at("y", i * kWidth + c);
        ASSERT_TRUE(isNear(found, sum, magnitude))
            << "row " << i << ", column " << c << ": " << found << " and not " << sum;
      }
  }

private:
  int columns;
  std::vector<int32_t> from;
};

class GatheredSumsTest : public testing::TestWithParam<DType> {};

/// The rows that the next iteration gathers are those that it has loaded itself.
TEST_P(GatheredSumsTest, OneProgram) {
  GatheredSums kernel(GetParam(), 53, 300);
  for (const HostMachine &machine : kHostMachines) {
    SCOPED_TRACE(machine.target);
    kernel.run(machine, {}, "y");
    kernel.expectSums();
  }
}

/// A cluster exchanges its parts again and again, in the same memory.
TEST_P(GatheredSumsTest, Clusters) {
  GatheredSums kernel(GetParam(), 53, 2100);
  for (const char *target : {"sm_90a", "sm_100a"})
    for (const std::vector<std::string> &settings :
         {std::vector<std::string>{"SPLIT=2"}, {"SPLIT=4", "WARPS=1"}, {"SPLIT=16"}})
      for (uint64_t seed : {0, 1, 2}) {
        SCOPED_TRACE(settings.front());
        kernel.run({HostBackend::Emulator, target}, settings, "y", seed);
        kernel.expectSums();
      }
}

INSTANTIATE_TEST_SUITE_P(Types, GatheredSumsTest, testing::Values(DType::F16, DType::BF16),
                         [](const auto &info) { return std::string(dtypeName(info.param)); });

} // namespace
