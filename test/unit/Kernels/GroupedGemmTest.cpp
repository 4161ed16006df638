//===- GroupedGemmTest.cpp - Products of ragged groups of rows ------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelRun.h"

using namespace lora;

namespace {

class GroupedGemm : public KernelRun {
public:
  /// `sizes` are the rows of each group. Two more rows belong to none.
  GroupedGemm(DType type, std::vector<int32_t> sizes, int columns, int depth)
      : KernelRun("grouped_gemm.mlir", type, 2), sizes(sizes), columns(columns), depth(depth) {
    std::vector<int32_t> starts = {0};
    for (int32_t size : sizes)
      starts.push_back(starts.back() + size);
    rows = starts.back() + 2;
    addMatrix("a", int64_t(rows) * depth);
    addMatrix("b", int64_t(sizes.size()) * columns * depth);
    addMatrix("c", int64_t(rows) * columns);
    addValues<int32_t>("starts", starts);
    arguments.setI32("groups", sizes.size());
    arguments.setI32("max_rows", *std::max_element(sizes.begin(), sizes.end()));
    arguments.setI32("columns", columns);
    arguments.setI32("depth", depth);
    arguments.setI64("a_stride", depth);
    arguments.setI64("b_stride", depth);
    arguments.setI64("b_group_stride", int64_t(columns) * depth);
    arguments.setI64("c_stride", columns);
  }

  void expectProducts() {
    int row = 0;
    for (size_t group = 0; group != sizes.size(); ++group)
      for (int end = row + sizes[group]; row != end; ++row)
        for (int column = 0; column != columns; ++column) {
          double expected = 0, magnitude = 0;
          for (int k = 0; k != depth; ++k) {
            double term = at("a", int64_t(row) * depth + k) *
                          at("b", (int64_t(group) * columns + column) * depth + k);
            expected += term;
            magnitude += std::abs(term);
          }
          double found = at("c", int64_t(row) * columns + column);
          ASSERT_TRUE(isNear(found, expected, magnitude))
              << "group " << group << ", row " << row << ", column " << column << ": expected "
              << expected << ", got " << found;
        }
    for (int64_t i = int64_t(row) * columns; i != int64_t(rows) * columns; ++i)
      ASSERT_TRUE(std::isnan(at("c", i))) << "a row without a group is written";
  }

private:
  std::vector<int32_t> sizes;
  int columns, depth, rows;
};

const std::vector<int32_t> kRagged = {5, 0, 17, 1, 0, 40, 16};

class GroupedGemmTest : public testing::TestWithParam<DType> {};

TEST_P(GroupedGemmTest, OddSizes) {
  GroupedGemm gemm(GetParam(), kRagged, 27, 133);
  for (const HostMachine &machine : kHostMachines)
    for (const std::vector<std::string> &settings :
         {std::vector<std::string>{"ALIGN=1"},
          {"ALIGN=1", "BLOCK_M=32", "BLOCK_N=16", "BLOCK_K=32", "WARPS=2"}}) {
      gemm.run(machine, settings, "c");
      gemm.expectProducts();
    }
}

TEST_P(GroupedGemmTest, AlignedSizes) {
  GroupedGemm gemm(GetParam(), kRagged, 72, 328);
  for (const HostMachine &machine : kHostMachines)
    for (const std::vector<std::string> &settings : {std::vector<std::string>{},
                                                     {"BLOCK_M=64", "WARPS=8", "WARPS_K=2"},
                                                     {"STAGES=3", "WARPS_K=2", "BLOCK_K=128"}}) {
      gemm.run(machine, settings, "c");
      gemm.expectProducts();
    }
}

TEST_P(GroupedGemmTest, AllGroupsAreEmpty) {
  GroupedGemm gemm(GetParam(), {0, 0}, 16, 32);
  for (const HostMachine &machine : kHostMachines) {
    gemm.run(machine, {}, "c");
    gemm.expectProducts();
  }
}

TEST_P(GroupedGemmTest, EveryConfigurationGivesTheSameBits) {
  GroupedGemm gemm(GetParam(), kRagged, 48, 648);
  for (const HostMachine &machine : kHostMachines) {
    auto expected = gemm.run(machine, {}, "c");
    for (const std::vector<std::string> &settings :
         {std::vector<std::string>{"BLOCK_K=32", "BLOCK_M=32", "ALIGN=2"},
          {"STAGES=2", "WARPS_K=2"}})
      EXPECT_TRUE(gemm.run(machine, settings, "c", /*seed=*/3) == expected) << settings.front();
  }
}

INSTANTIATE_TEST_SUITE_P(Types, GroupedGemmTest, testing::Values(DType::F16, DType::BF16),
                         [](const auto &info) { return std::string(dtypeName(info.param)); });

} // namespace
