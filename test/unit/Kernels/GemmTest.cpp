//===- GemmTest.cpp - A plain product, whose right operand is row-major ---===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelRun.h"

using namespace lora;

namespace {

struct Shape {
  int rows, columns, depth, padding;
};

class Gemm : public KernelRun {
public:
  Gemm(DType type, Shape shape) : KernelRun("gemm.mlir", type, 1), shape(shape) {
    addMatrix("a", int64_t(shape.rows) * aStride());
    addMatrix("b", int64_t(shape.depth) * bStride());
    addMatrix("c", int64_t(shape.rows) * bStride());
    arguments.setI32("rows", shape.rows);
    arguments.setI32("columns", shape.columns);
    arguments.setI32("depth", shape.depth);
    arguments.setI64("a_stride", aStride());
    arguments.setI64("b_stride", bStride());
    arguments.setI64("c_stride", bStride());
  }

  void expectProduct() {
    for (int row = 0; row != shape.rows; ++row)
      for (int column = 0; column != shape.columns; ++column) {
        double expected = 0, magnitude = 0;
        for (int k = 0; k != shape.depth; ++k) {
          double term = at("a", row * aStride() + k) * at("b", k * bStride() + column);
          expected += term;
          magnitude += std::abs(term);
        }
        double found = at("c", row * bStride() + column);
        ASSERT_TRUE(isNear(found, expected, magnitude))
            << "row " << row << ", column " << column << ": expected " << expected << ", got "
            << found;
      }
    for (int row = 0; row != shape.rows; ++row)
      for (int64_t column = shape.columns; column != bStride(); ++column)
        ASSERT_TRUE(std::isnan(at("c", row * bStride() + column))) << "written between rows";
  }

private:
  int64_t aStride() const { return shape.depth + shape.padding; }
  int64_t bStride() const { return shape.columns + shape.padding; }

  Shape shape;
};

class GemmTest : public testing::TestWithParam<DType> {};

// Nothing is a multiple of anything.
TEST_P(GemmTest, OddSizes) {
  Gemm gemm(GetParam(), {37, 29, 301, 3});
  for (const HostMachine &machine : kHostMachines)
    for (const std::vector<std::string> &settings :
         {std::vector<std::string>{"ALIGN=1"},
          {"ALIGN=1", "BLOCK_M=16", "BLOCK_N=8", "BLOCK_K=64", "WARPS=1"},
          {"ALIGN=1", "WARPS_K=2", "SPLIT_K=2"}}) {
      gemm.run(machine, settings, "c");
      gemm.expectProduct();
    }
}

TEST_P(GemmTest, AlignedSizes) {
  Gemm gemm(GetParam(), {40, 72, 520, 8});
  for (const HostMachine &machine : kHostMachines)
    for (const std::vector<std::string> &settings :
         {std::vector<std::string>{},
          {"STAGES=2"},
          {"STAGES=3", "BLOCK_M=16", "BLOCK_N=128", "WARPS_K=2", "SPLIT_K=4"}}) {
      gemm.run(machine, settings, "c");
      gemm.expectProduct();
    }
}

TEST_P(GemmTest, AlignedToAPair) {
  Gemm gemm(GetParam(), {17, 42, 130, 2});
  for (const HostMachine &machine : kHostMachines) {
    gemm.run(machine, {"ALIGN=2", "STAGES=2"}, "c");
    gemm.expectProduct();
  }
}

TEST_P(GemmTest, NothingToAdd) {
  Gemm gemm(GetParam(), {3, 8, 0, 8});
  for (const HostMachine &machine : kHostMachines) {
    gemm.run(machine, {"STAGES=2"}, "c");
    gemm.expectProduct();
  }
}

TEST_P(GemmTest, EveryConfigurationGivesTheSameBits) {
  Gemm gemm(GetParam(), {40, 48, 1160, 0});
  for (const HostMachine &machine : kHostMachines) {
    auto expected = gemm.run(machine, {}, "c");
    for (const std::vector<std::string> &settings :
         {std::vector<std::string>{"BLOCK_M=16", "BLOCK_N=16", "WARPS=2", "WARPS_K=2"},
          {"BLOCK_K=128", "SPLIT_K=4", "ALIGN=1"},
          {"BLOCK_K=64", "STAGES=3", "WARPS_K=4", "WARPS=8", "SPLIT_K=2"}})
      EXPECT_TRUE(gemm.run(machine, settings, "c", /*seed=*/7) == expected) << settings.front();
  }
}

INSTANTIATE_TEST_SUITE_P(Types, GemmTest, testing::Values(DType::F16, DType::BF16),
                         [](const auto &info) { return std::string(dtypeName(info.param)); });

} // namespace
