//===- LoraProblemTest.cpp - Tests of problems with their data ------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Problem/LoraProblem.h"
#include "../ErrorOf.h"

#include "lora/Support/Error.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

using namespace lora;

namespace {

const std::vector<int32_t> tokenLora = {1, -1, 0, 2, 1};
const std::vector<int64_t> allTokens = {0, 1, 2, 3, 4};

/// Slot 2 is empty, and every matrix has a gap between its rows.
LoraShape example() {
  LoraShape shape;
  shape.tokens = 5;
  shape.hidden = 24;
  shape.maxLoras = 3;
  shape.maxRank = 8;
  shape.ranks = {8, 3, 0};
  shape.sliceWidths = {6, 4};
  shape.outputOffset = 2;
  shape.outputWidth = 14;
  shape.wType = DType::BF16;
  shape.xStride = 27;
  shape.aStride = 25;
  shape.bStride = 9;
  shape.yStride = 17;
  shape.sStride = 10;
  shape.sSliceStride = 60;
  return shape;
}

template <typename T> const T *pointer(const Arguments &arguments, const char *name) {
  return reinterpret_cast<const T *>(arguments.find(name)->bits);
}

int64_t integer(const Arguments &arguments, const char *name) {
  return arguments.find(name)->integer();
}

std::span<const RowBlock> rowBlocks(const Arguments &arguments) {
  return {pointer<RowBlock>(arguments, "row_blocks"),
          static_cast<size_t>(integer(arguments, "num_row_blocks"))};
}

/// Computes s as a kernel would: from the arguments alone.
void runShrink(const Arguments &arguments) {
  int64_t maxLoras = integer(arguments, "max_loras");
  float *s = const_cast<float *>(pointer<float>(arguments, "s"));
  for (const RowBlock &block : rowBlocks(arguments)) {
    if (block.slot < 0)
      continue;
    for (int32_t i = block.begin; i < block.end; ++i) {
      int64_t token = pointer<int32_t>(arguments, "token_indices")[i];
      for (int64_t slice = 0; slice < integer(arguments, "slices"); ++slice) {
        auto *a = reinterpret_cast<const uint16_t *>(
            pointer<uint64_t>(arguments, "a")[slice * maxLoras + block.slot]);
        for (int64_t r = 0; r < pointer<int32_t>(arguments, "ranks")[block.slot]; ++r) {
          float sum = 0;
          for (int64_t k = 0; k < integer(arguments, "hidden"); ++k)
            sum += halfToFloat(pointer<uint16_t>(arguments,
                                                 "x")[token * integer(arguments, "x_stride") + k]) *
                   bfloatToFloat(a[r * integer(arguments, "a_stride") + k]);
          s[slice * integer(arguments, "s_slice_stride") + token * integer(arguments, "s_stride") +
            r] = sum * pointer<float>(arguments, "scalings")[block.slot];
        }
      }
    }
  }
}

/// Computes y as a kernel would: from the arguments alone.
void runExpand(const Arguments &arguments, bool addInputs) {
  int64_t maxLoras = integer(arguments, "max_loras");
  uint16_t *y = const_cast<uint16_t *>(pointer<uint16_t>(arguments, "y"));
  for (const RowBlock &block : rowBlocks(arguments)) {
    if (block.slot < 0)
      continue;
    for (int32_t i = block.begin; i < block.end; ++i) {
      int64_t token = pointer<int32_t>(arguments, "token_indices")[i];
      for (int64_t slice = 0; slice < integer(arguments, "slices"); ++slice) {
        auto *b = reinterpret_cast<const uint16_t *>(
            pointer<uint64_t>(arguments, "b")[slice * maxLoras + block.slot]);
        const float *s = pointer<float>(arguments, "s") +
                         slice * integer(arguments, "s_slice_stride") +
                         token * integer(arguments, "s_stride");
        uint16_t *row = y + token * integer(arguments, "y_stride") +
                        pointer<int32_t>(arguments, "slice_offsets")[slice];
        for (int64_t n = 0; n < pointer<int32_t>(arguments, "slice_widths")[slice]; ++n) {
          float sum = addInputs ? halfToFloat(row[n]) : 0;
          for (int64_t r = 0; r < pointer<int32_t>(arguments, "ranks")[block.slot]; ++r)
            sum += s[r] * bfloatToFloat(b[n * integer(arguments, "b_stride") + r]);
          row[n] = floatToHalf(sum);
        }
      }
    }
  }
}

TEST(LoraProblem, Shrink) {
  LoraProblem problem(LoraOp::Shrink, example(), tokenLora, 1);
  EXPECT_EQ(problem.error(allTokens), std::numeric_limits<double>::infinity());
  runShrink(problem.arguments(16));
  EXPECT_LT(problem.error(allTokens), 1e-6);
  problem.checkUntouched();
  problem.resetOutput();
  EXPECT_EQ(problem.error(allTokens), std::numeric_limits<double>::infinity());
}

TEST(LoraProblem, Expand) {
  for (bool addInputs : {false, true}) {
    LoraShape shape = example();
    shape.addInputs = addInputs;
    LoraProblem problem(LoraOp::Expand, shape, tokenLora, 1);
    EXPECT_GT(problem.error(allTokens), 0.01);
    runExpand(problem.arguments(16), addInputs);
    EXPECT_LT(problem.error(allTokens), 1e-3);
    problem.checkUntouched();
    problem.resetOutput();
    EXPECT_GT(problem.error(allTokens), 0.01);
  }
}

TEST(LoraProblem, OneWrongElementIsAnError) {
  LoraProblem problem(LoraOp::Shrink, example(), tokenLora, 1);
  runShrink(problem.arguments(16));
  problem.output().as<float>()[60 + 4 * 10 + 2] *= 1.5f;
  EXPECT_GT(problem.error(allTokens), 0.01);
  EXPECT_LT(problem.error(std::vector<int64_t>{0, 1, 2, 3}), 1e-6);
  EXPECT_EQ(errorOf([&] { problem.error(std::vector<int64_t>{5}); }),
            "error of token 5: expected a token below 5");
}

TEST(LoraProblem, StrayWritesAreFound) {
  LoraProblem shrink(LoraOp::Shrink, example(), tokenLora, 1);
  shrink.output().as<float>()[60 + 2 * 10 + 9] = 0;
  EXPECT_EQ(errorOf([&] { shrink.checkUntouched(); }),
            "s of slice 1, row 2, column 9: was written, expected it to be left alone");
  shrink.resetOutput();
  shrink.output().as<float>()[1 * 10 + 3] = 0;
  EXPECT_EQ(errorOf([&] { shrink.checkUntouched(); }),
            "s of slice 0, row 1, column 3: was written, expected it to be left alone");
  LoraProblem expand(LoraOp::Expand, example(), tokenLora, 1);
  expand.output().as<uint16_t>()[1 * 17 + 3] ^= 1;
  EXPECT_EQ(errorOf([&] { expand.checkUntouched(); }),
            "y, row 1, column 3: was written, expected it to be left alone");
  expand.resetOutput();
  expand.output().as<uint16_t>()[2 * 17 + 12] ^= 1;
  EXPECT_EQ(errorOf([&] { expand.checkUntouched(); }),
            "y, row 2, column 12: was written, expected it to be left alone");
}

TEST(LoraProblem, MissingWritesAreFound) {
  LoraProblem shrink(LoraOp::Shrink, example(), tokenLora, 1);
  EXPECT_EQ(errorOf([&] { shrink.checkWritten(); }),
            "s of slice 0, row 0, column 0: was not written, or is not finite");
  runShrink(shrink.arguments(16));
  shrink.checkWritten();
  shrink.output().as<float>()[60 + 4 * 10 + 2] = std::numeric_limits<float>::infinity();
  EXPECT_EQ(errorOf([&] { shrink.checkWritten(); }),
            "s of slice 1, row 4, column 2: was not written, or is not finite");

  LoraShape shape = example();
  shape.addInputs = false;
  LoraProblem expand(LoraOp::Expand, shape, tokenLora, 1);
  runExpand(expand.arguments(16), false);
  expand.checkWritten();
  // Row 1 has no adapter, and the adapter of row 3 is an empty slot.
  expand.output().as<uint16_t>()[2 * 17 + 11] = 0xffff;
  EXPECT_EQ(errorOf([&] { expand.checkWritten(); }),
            "y, row 2, column 11: was not written, or is not finite");
}

TEST(LoraProblem, ErrorsOfAllRowsAndOfTheWorst) {
  LoraProblem problem(LoraOp::Shrink, example(), tokenLora, 1);
  runShrink(problem.arguments(16));
  EXPECT_LT(problem.errors(allTokens).total, 1e-6);
  EXPECT_LT(problem.errors(allTokens).worstRow, 1e-6);
  float *row = problem.output().as<float>() + 60 + 4 * 10;
  for (int r = 0; r < 3; ++r)
    row[r] *= 1.5f;
  LoraProblem::Errors errors = problem.errors(allTokens);
  EXPECT_LT(errors.total, errors.worstRow);
  EXPECT_LE(errors.worstRow, 0.5 + 1e-6);
  EXPECT_NEAR(problem.error(allTokens), 0.5, 1e-6);
  row[0] = std::numeric_limits<float>::quiet_NaN();
  errors = problem.errors(allTokens);
  EXPECT_EQ(errors.total, std::numeric_limits<double>::infinity());
  EXPECT_EQ(errors.worstRow, std::numeric_limits<double>::infinity());
}

TEST(LoraProblem, GapsAndOutputsArePoisoned) {
  LoraProblem shrink(LoraOp::Shrink, example(), tokenLora, 1);
  Arguments arguments = shrink.arguments(16);
  const uint16_t *x = pointer<uint16_t>(arguments, "x");
  EXPECT_FALSE(std::isnan(halfToFloat(x[23])));
  EXPECT_TRUE(std::isnan(halfToFloat(x[24])));
  EXPECT_TRUE(std::isnan(pointer<float>(arguments, "s")[0]));

  LoraProblem expand(LoraOp::Expand, example(), tokenLora, 1);
  arguments = expand.arguments(16);
  const float *s = pointer<float>(arguments, "s");
  // The adapter of token 0 has rank 3, token 1 has none.
  EXPECT_FALSE(std::isnan(s[2]));
  EXPECT_TRUE(std::isnan(s[3]));
  EXPECT_TRUE(std::isnan(s[10]));
}

TEST(LoraProblem, DataDependsOnTheSeedButNotOnStrides) {
  LoraShape dense = example();
  dense.xStride = 0;
  LoraProblem a(LoraOp::Shrink, example(), tokenLora, 1), b(LoraOp::Shrink, dense, tokenLora, 1);
  LoraProblem c(LoraOp::Shrink, dense, tokenLora, 2);
  Arguments ofA = a.arguments(16), ofB = b.arguments(16), ofC = c.arguments(16);
  EXPECT_EQ(pointer<uint16_t>(ofA, "x")[4 * 27 + 5], pointer<uint16_t>(ofB, "x")[4 * 24 + 5]);
  EXPECT_FALSE(std::equal(pointer<uint16_t>(ofB, "x"), pointer<uint16_t>(ofB, "x") + 24,
                          pointer<uint16_t>(ofC, "x")));
}

TEST(LoraProblem, AddressesAreTranslated) {
  LoraProblem problem(LoraOp::Expand, example(), tokenLora, 1);
  auto addressOf = [](const HostBuffer &buffer) {
    return uint64_t(0x1000) * buffer.name().size() + uint64_t(buffer.name().back());
  };
  Arguments arguments = problem.arguments(16, addressOf);
  for (const HostBuffer &buffer : problem.buffers()) {
    if (const Arguments::Value *value = arguments.find(buffer.name())) {
      EXPECT_EQ(value->bits, addressOf(buffer));
    }
  }
  auto table = std::find_if(problem.buffers().begin(), problem.buffers().end(),
                            [](const HostBuffer &buffer) { return buffer.name() == "b"; });
  auto matrix = std::find_if(problem.buffers().begin(), problem.buffers().end(),
                             [](const HostBuffer &buffer) { return buffer.name() == "b[1][0]"; });
  ASSERT_NE(matrix, problem.buffers().end());
  EXPECT_EQ(table->as<uint64_t>()[3], addressOf(*matrix));
  EXPECT_EQ(table->as<uint64_t>()[2], 0u);
}

TEST(LoraProblem, Scalars) {
  LoraProblem problem(LoraOp::Expand, example(), tokenLora, 1);
  Arguments arguments = problem.arguments(16);
  EXPECT_EQ(integer(arguments, "max_width"), 6);
  EXPECT_EQ(integer(arguments, "y_width"), 14);
  EXPECT_EQ(pointer<int32_t>(arguments, "slice_offsets")[1], 8);
  EXPECT_EQ(arguments.find("tokens")->type, ArgumentType::I32);
  EXPECT_EQ(arguments.find("y_stride")->type, ArgumentType::I64);
}

TEST(LoraProblem, NoTokens) {
  LoraShape shape = example();
  shape.tokens = 0;
  for (LoraOp op : {LoraOp::Shrink, LoraOp::Expand}) {
    LoraProblem problem(op, shape, {}, 1);
    problem.arguments(16);
    problem.checkUntouched();
    EXPECT_EQ(problem.error({}), 0);
  }
}

TEST(LoraProblem, GivenWeightsAndScalings) {
  LoraProblem problem(LoraOp::Shrink, example(), tokenLora, 1);
  std::vector<uint16_t> ones(3 * 24, floatToBFloat(1));
  problem.setWeights(1, 1, ones);
  problem.setScalings(std::vector<float>{1, 2, 3});
  runShrink(problem.arguments(16));
  EXPECT_LT(problem.error(allTokens), 1e-6);
  Arguments arguments = problem.arguments(16);
  const float *s = pointer<float>(arguments, "s") + 60;
  const uint16_t *x = pointer<uint16_t>(arguments, "x");
  float sum = 0;
  for (int64_t k = 0; k < 24; ++k)
    sum += halfToFloat(x[k]);
  EXPECT_FLOAT_EQ(s[2], 2 * sum);

  EXPECT_EQ(errorOf([&] { problem.setWeights(1, 1, std::span(ones).first(71)); }),
            "weights a[1][1]: expected 3 x 24 elements, found 71");
  EXPECT_EQ(errorOf([&] { problem.setWeights(1, 2, ones); }),
            "weights a[1][2]: expected one of 2 slices and the slot of an adapter");
  EXPECT_EQ(errorOf([&] { problem.setScalings(std::vector<float>{1}); }),
            "scalings: expected 3, found 1");
}

TEST(LoraProblem, ExpandAfterShrink) {
  LoraShape dense = example();
  dense.sStride = dense.sSliceStride = 0;
  LoraProblem shrink(LoraOp::Shrink, example(), tokenLora, 1);
  LoraProblem expand(LoraOp::Expand, dense, tokenLora, 1);
  runShrink(shrink.arguments(16));
  expand.setS(shrink);
  const float *s = pointer<float>(expand.arguments(16), "s");
  EXPECT_EQ(s[40 + 2], shrink.output().as<float>()[60 + 2]);
  EXPECT_TRUE(std::isnan(s[40 + 3]));
  EXPECT_TRUE(std::isnan(s[40 + 8]));
  runExpand(expand.arguments(16), true);
  EXPECT_LT(expand.chainError(shrink, allTokens), 1e-3);

  // The error of expand alone is relative to the s that it was given.
  shrink.output().as<float>()[0] *= 100;
  expand.setS(shrink);
  expand.resetOutput();
  runExpand(expand.arguments(16), true);
  EXPECT_LT(expand.error(allTokens), 1e-3);
  EXPECT_GT(expand.chainError(shrink, allTokens), 0.01);

  dense.ranks = {8, 2, 0};
  LoraProblem other(LoraOp::Expand, dense, tokenLora, 1);
  EXPECT_EQ(errorOf([&] { other.setS(shrink); }),
            "s: expected a shrink with the slices, ranks and mapping of the expand");
}

TEST(LoraProblem, MappingHasOneSlotForEachToken) {
  EXPECT_EQ(errorOf([] { LoraProblem(LoraOp::Shrink, example(), std::vector<int32_t>{0}, 1); }),
            "mapping of 1 tokens: expected 5");
}

} // namespace
