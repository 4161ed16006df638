//===- LoraShape.h - The sizes of a shrink or an expand -----------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "lora/Support/DType.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace lora {

enum class LoraOp { Shrink, Expand };

/// "shrink" or "expand".
constexpr std::string_view opName(LoraOp op) { return op == LoraOp::Shrink ? "shrink" : "expand"; }

/// The sizes, types and strides of a shrink or an expand. Strides are in elements.
struct LoraShape {
  int64_t tokens = 0;
  /// Columns of x; only shrink has it.
  int64_t hidden = 0;
  int32_t maxLoras = 0;
  int32_t maxRank = 0;
  /// [maxLoras]: the rank of each adapter, at most maxRank; 0 is an empty slot.
  std::vector<int32_t> ranks;
  /// [slices]: the columns of each slice of y. Shrink only uses how many slices there are.
  std::vector<int32_t> sliceWidths;
  /// The first column of the first slice in y; the other slices follow it.
  int32_t outputOffset = 0;
  /// Columns of y; 0 for as many as the slices need.
  int32_t outputWidth = 0;
  /// The type of x and y.
  DType xType = DType::F16;
  /// The type of A and B.
  DType wType = DType::F16;
  /// The row strides; 0 for rows without a gap. Those of b are at least maxRank.
  int64_t xStride = 0;
  int64_t aStride = 0;
  int64_t bStride = 0;
  int64_t yStride = 0;
  int64_t sStride = 0;
  /// From one slice of s to the next; 0 for tokens * sStride.
  int64_t sSliceStride = 0;
  /// Whether expand adds to y or overwrites it.
  bool addInputs = true;

  int32_t slices() const { return static_cast<int32_t>(sliceWidths.size()); }

  /// The same shape with every 0 that stands for a default replaced. Throws Error, naming the
  /// field, if a value does not fit the operation.
  LoraShape completed(LoraOp op) const;
};

} // namespace lora
