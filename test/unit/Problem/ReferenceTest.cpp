//===- ReferenceTest.cpp - Tests of the float64 references ----------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Problem/Reference.h"

#include "lora/Support/Error.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace lora;

namespace {

std::vector<uint16_t> halves(const std::vector<float> &values) {
  std::vector<uint16_t> result;
  for (float value : values)
    result.push_back(floatToHalf(value));
  return result;
}

TEST(Reference, Shrink) {
  // Two tokens of three columns with a gap of one, adapters of rank 2 and 1.
  std::vector<uint16_t> x = halves({1, 2, 3, 99, -1, 0.5, 2, 99});
  std::vector<uint16_t> a0 = halves({1, 0, 1, 0, 2, 0});
  std::vector<uint16_t> a1 = halves({4, 4, 4});
  std::vector<int32_t> ranks = {2, 1, 0};
  std::vector<float> scalings = {2, 0.5, 1};
  std::vector<int32_t> tokenLora = {0, 1};
  ShrinkOperands operands;
  operands.hidden = 3;
  operands.maxRank = 2;
  operands.maxLoras = 3;
  operands.x = {DType::F16, x.data(), 4};
  operands.a = {{DType::F16, a0.data(), 3}, {DType::F16, a1.data(), 3}, {}};
  operands.ranks = ranks;
  operands.scalings = scalings;
  operands.tokenLora = tokenLora;
  std::vector<int64_t> rows = {1, 0};
  EXPECT_EQ(referenceShrink(operands, 0, rows), (std::vector<double>{3, 0, 8, 8}));
  tokenLora = {-1, 2};
  EXPECT_EQ(referenceShrink(operands, 0, rows), (std::vector<double>{0, 0, 0, 0}));
}

TEST(Reference, Expand) {
  // The second slice, of two columns at column 3, adapter 1 of rank 2.
  std::vector<float> s = {1, 2, 3, 4};
  std::vector<float> b = {1, 0, 99, 1, -1, 99};
  std::vector<float> y0 = {0, 0, 0, 10, 20, 0, 0, 0, 30, 40};
  std::vector<int32_t> offsets = {0, 3}, widths = {3, 2}, ranks = {0, 2}, tokenLora = {1, -1};
  ExpandOperands operands;
  operands.maxLoras = 2;
  operands.s = {{}, {DType::F32, s.data(), 2}};
  operands.b = {{}, {}, {}, {DType::F32, b.data(), 3}};
  operands.y0 = MatrixView{DType::F32, y0.data(), 5};
  operands.sliceOffsets = offsets;
  operands.sliceWidths = widths;
  operands.ranks = ranks;
  operands.tokenLora = tokenLora;
  std::vector<int64_t> rows = {0, 1};
  EXPECT_EQ(referenceExpand(operands, 1, rows), (std::vector<double>{11, 19, 30, 40}));
  operands.y0.reset();
  EXPECT_EQ(referenceExpand(operands, 1, rows), (std::vector<double>{1, -1, 0, 0}));
}

TEST(Reference, RelativeError) {
  using Values = std::vector<double>;
  double nan = std::numeric_limits<double>::quiet_NaN();
  double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(relativeError(Values{3, 4}, Values{3, 4}), 0);
  EXPECT_DOUBLE_EQ(relativeError(Values{3, 4.5}, Values{3, 4}), 0.1);
  EXPECT_EQ(relativeError(Values{0}, Values{0}), 0);
  EXPECT_EQ(relativeError(Values{1}, Values{0}), infinity);
  EXPECT_EQ(relativeError(Values{nan, 4}, Values{3, 4}), infinity);
  EXPECT_EQ(relativeError(Values{nan}, Values{nan}), infinity);
  EXPECT_EQ(relativeError(Values{infinity}, Values{infinity}), infinity);
  EXPECT_EQ(relativeError(Values{}, Values{}), 0);
  EXPECT_THROW(relativeError(Values{1}, Values{1, 2}), Error);
}

} // namespace
