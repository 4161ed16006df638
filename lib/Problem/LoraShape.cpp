//===- LoraShape.cpp - The sizes of a shrink or an expand -----------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Problem/LoraShape.h"

#include "lora/Support/Error.h"

#include <limits>
#include <string>

using namespace lora;

namespace {

constexpr int64_t maxI32 = std::numeric_limits<int32_t>::max();
/// Keeps products of two sizes and of a size and a stride within int64.
constexpr int64_t maxStride = maxI32;

void checkRange(const std::string &field, int64_t value, int64_t low, int64_t high) {
  if (value < low || value > high)
    throw Error("shape: " + field + ": expected " + std::to_string(low) + " to " +
                std::to_string(high) + ", found " + std::to_string(value));
}

/// Replaces 0 by `dense`, which is also the least that a stride may be.
void completeStride(const char *field, int64_t &stride, int64_t dense, int64_t limit) {
  if (stride == 0)
    stride = dense;
  checkRange(field, stride, dense, limit);
}

void checkRanks(const LoraShape &shape) {
  if (static_cast<int64_t>(shape.ranks.size()) != shape.maxLoras)
    throw Error("shape: ranks: expected one for each of " + std::to_string(shape.maxLoras) +
                " adapter slots, found " + std::to_string(shape.ranks.size()));
  for (size_t i = 0; i < shape.ranks.size(); ++i)
    checkRange("ranks[" + std::to_string(i) + "]", shape.ranks[i], 0, shape.maxRank);
}

/// The columns that y needs.
int64_t checkSlices(const LoraShape &shape) {
  checkRange("number of slices", static_cast<int64_t>(shape.sliceWidths.size()), 1, maxI32);
  int64_t end = shape.outputOffset;
  for (size_t i = 0; i < shape.sliceWidths.size(); ++i) {
    checkRange("sliceWidths[" + std::to_string(i) + "]", shape.sliceWidths[i], 1, maxI32);
    end += shape.sliceWidths[i];
  }
  return end;
}

} // namespace

LoraShape LoraShape::completed(LoraOp op) const {
  LoraShape result = *this;
  checkRange("tokens", tokens, 0, maxI32);
  checkRange("maxLoras", maxLoras, 1, maxI32);
  checkRange("maxRank", maxRank, 1, maxI32);
  checkRange("outputOffset", outputOffset, 0, maxI32);
  checkRanks(*this);
  int64_t outputEnd = checkSlices(*this);

  completeStride("sStride", result.sStride, maxRank, maxStride);
  completeStride("sSliceStride", result.sSliceStride, tokens * result.sStride,
                 std::numeric_limits<int64_t>::max() / (int64_t(4) * slices()));
  if (op == LoraOp::Shrink) {
    checkRange("hidden", hidden, 1, maxI32);
    completeStride("xStride", result.xStride, hidden, maxStride);
    completeStride("aStride", result.aStride, hidden, maxStride);
    return result;
  }
  if (outputWidth == 0)
    result.outputWidth = static_cast<int32_t>(outputEnd <= maxI32 ? outputEnd : 0);
  checkRange("outputWidth", result.outputWidth, outputEnd, maxI32);
  completeStride("bStride", result.bStride, maxRank, maxStride);
  completeStride("yStride", result.yStride, result.outputWidth, maxStride);
  return result;
}
