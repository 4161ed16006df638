//===- GatherScaleScatterTest.cpp - Rows moved and scaled -----------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelRun.h"

#include <numeric>

using namespace lora;

namespace {

/// The rows of y come from rows of x in another order. The first source row does not exist, the
/// last target row neither.
class GatherScaleScatter : public KernelRun {
public:
  static constexpr int kSources = 23, kTargets = 31;

  GatherScaleScatter(DType type, int count, int columns)
      : KernelRun("gather_scale_scatter.mlir", type, 3), type(type), columns(columns) {
    std::vector<int32_t> order(kTargets);
    std::iota(order.begin(), order.end(), 0);
    std::mt19937 random(5);
    std::shuffle(order.begin(), order.end(), random);
    for (int i = 0; i != count; ++i) {
      from.push_back(i == 0 ? -1 : static_cast<int>(random() % kSources));
      to.push_back(i == count - 1 ? kTargets : order[i]);
      scale.push_back(static_cast<float>(random() % 64) / 16 - 2);
    }
    addMatrix("x", int64_t(kSources) * columns);
    addMatrix("y", int64_t(kTargets) * columns);
    addValues<int32_t>("from", from);
    addValues<int32_t>("to", to);
    addValues<float>("scale", scale);
    arguments.setI32("count", count);
    arguments.setI32("x_rows", kSources);
    arguments.setI32("y_rows", kTargets);
    arguments.setI32("columns", columns);
    arguments.setI64("x_stride", columns);
    arguments.setI64("y_stride", columns);
  }

  /// Each value is an exact product, rounded once.
  void expectMoved() {
    std::vector<int> sourceOf(kTargets, -1);
    for (size_t i = 0; i != to.size(); ++i)
      if (to[i] < kTargets)
        sourceOf[to[i]] = i;
    for (int row = 0; row != kTargets; ++row)
      for (int column = 0; column != columns; ++column) {
        double found = at("y", int64_t(row) * columns + column);
        int i = sourceOf[row];
        if (i < 0) {
          ASSERT_TRUE(std::isnan(found)) << "row " << row << " is written";
          continue;
        }
        float value = from[i] < 0 ? 0 : at("x", int64_t(from[i]) * columns + column) * scale[i];
        uint16_t rounded;
        storeElement(type, &rounded, 0, value);
        ASSERT_EQ(found, loadElement(type, &rounded, 0)) << "row " << row << ", column " << column;
      }
  }

private:
  DType type;
  int columns;
  std::vector<int32_t> from, to;
  std::vector<float> scale;
};

class GatherScaleScatterTest : public testing::TestWithParam<DType> {};

TEST_P(GatherScaleScatterTest, OddSizes) {
  GatherScaleScatter kernel(GetParam(), 29, 171);
  for (const HostMachine &machine : kHostMachines)
    for (const std::vector<std::string> &settings :
         {std::vector<std::string>{"ALIGN=1"},
          {"ALIGN=1", "BLOCK_M=1", "BLOCK_N=8", "WARPS=1"},
          {"ALIGN=1", "BLOCK_M=32", "BLOCK_N=64", "WARPS=8"}}) {
      kernel.run(machine, settings, "y");
      kernel.expectMoved();
    }
}

TEST_P(GatherScaleScatterTest, AlignedSizes) {
  GatherScaleScatter kernel(GetParam(), 29, 168);
  for (const HostMachine &machine : kHostMachines)
    for (const std::vector<std::string> &settings : {std::vector<std::string>{},
                                                     {"BLOCK_M=1", "BLOCK_N=256", "WARPS=1"},
                                                     {"BLOCK_M=32", "BLOCK_N=8", "WARPS=8"}}) {
      kernel.run(machine, settings, "y");
      kernel.expectMoved();
    }
}

TEST_P(GatherScaleScatterTest, OneRow) {
  GatherScaleScatter kernel(GetParam(), 1, 16);
  for (const HostMachine &machine : kHostMachines) {
    kernel.run(machine, {}, "y");
    kernel.expectMoved();
  }
}

INSTANTIATE_TEST_SUITE_P(Types, GatherScaleScatterTest, testing::Values(DType::F16, DType::BF16),
                         [](const auto &info) { return std::string(dtypeName(info.param)); });

} // namespace
