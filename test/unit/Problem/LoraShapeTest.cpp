//===- LoraShapeTest.cpp - Tests of the sizes of a shrink or an expand ----===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Problem/LoraShape.h"

#include "lora/Support/Error.h"

#include <gtest/gtest.h>

#include <functional>

using namespace lora;

namespace {

LoraShape example() {
  LoraShape shape;
  shape.tokens = 5;
  shape.hidden = 64;
  shape.maxLoras = 2;
  shape.maxRank = 16;
  shape.ranks = {16, 8};
  shape.sliceWidths = {32, 24};
  shape.outputOffset = 8;
  return shape;
}

std::string errorAfter(LoraOp op, const std::function<void(LoraShape &)> &change) {
  LoraShape shape = example();
  change(shape);
  try {
    shape.completed(op);
  } catch (const Error &error) {
    return error.what();
  }
  return "no error";
}

TEST(LoraShape, DefaultsHaveNoGaps) {
  LoraShape shrink = example().completed(LoraOp::Shrink);
  EXPECT_EQ(shrink.xStride, 64);
  EXPECT_EQ(shrink.aStride, 64);
  EXPECT_EQ(shrink.sStride, 16);
  EXPECT_EQ(shrink.sSliceStride, 80);
  LoraShape expand = example().completed(LoraOp::Expand);
  EXPECT_EQ(expand.outputWidth, 64);
  EXPECT_EQ(expand.yStride, 64);
  EXPECT_EQ(expand.bStride, 16);
}

TEST(LoraShape, FieldsAreChecked) {
  EXPECT_EQ(errorAfter(LoraOp::Shrink, [](LoraShape &s) { s.tokens = -1; }),
            "shape: tokens: expected 0 to 2147483647, found -1");
  EXPECT_EQ(errorAfter(LoraOp::Shrink, [](LoraShape &s) { s.hidden = 0; }),
            "shape: hidden: expected 1 to 2147483647, found 0");
  EXPECT_EQ(errorAfter(LoraOp::Expand, [](LoraShape &s) { s.hidden = 0; }), "no error");
  EXPECT_EQ(errorAfter(LoraOp::Shrink, [](LoraShape &s) { s.ranks = {1}; }),
            "shape: ranks: expected one for each of 2 adapter slots, found 1");
  EXPECT_EQ(errorAfter(LoraOp::Shrink, [](LoraShape &s) { s.ranks[1] = 17; }),
            "shape: ranks[1]: expected 0 to 16, found 17");
  EXPECT_EQ(errorAfter(LoraOp::Expand, [](LoraShape &s) { s.sliceWidths[1] = 0; }),
            "shape: sliceWidths[1]: expected 1 to 2147483647, found 0");
  EXPECT_EQ(errorAfter(LoraOp::Expand, [](LoraShape &s) { s.outputWidth = 63; }),
            "shape: outputWidth: expected 64 to 2147483647, found 63");
  EXPECT_EQ(errorAfter(LoraOp::Expand, [](LoraShape &s) { s.bStride = 15; }),
            "shape: bStride: expected 16 to 2147483647, found 15");
  EXPECT_EQ(errorAfter(LoraOp::Shrink, [](LoraShape &s) { s.sliceWidths.clear(); }),
            "shape: number of slices: expected 1 to 2147483647, found 0");
}

} // namespace
