//===- SampleReference.h - What some rows of a case should be -------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "lora/Bench/Arguments.h"
#include "lora/Problem/Reference.h"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace lora {

/// Float64 references of outputs for some tokens of the first set of arguments.
class SampleReference {
public:
  /// The tokens must have adapters.
  SampleReference(const BenchArguments &arguments, std::vector<int64_t> tokens);

  const std::vector<int64_t> &tokens() const { return samples; }

  /// Rows of a slice, [tokens, rank] of a shrink and [tokens, width] of the others. An expand takes
  /// the s that it is given, a pair that of its shrink. Computed at the first call.
  const std::vector<double> &of(BenchOp op, int64_t slice);

private:
  using Bytes = std::vector<std::byte>;

  Bytes rowsOf(const Pattern &pattern, size_t start, int64_t firstRow, int64_t columns) const;
  void takeWeights();
  std::vector<double> compute(BenchOp op, int64_t slice) const;
  ShrinkOperands shrinkOperands() const;
  ExpandOperands expandOperands() const;

  BenchCase one;
  const BenchPatterns &patterns;
  std::vector<int64_t> samples;
  std::vector<int32_t> sampleLora;
  /// [samples] rows of x and y and, by slice, of s; and weights by slice and slot, which are empty
  /// for a slot without a sample.
  Bytes x, y;
  std::vector<Bytes> s, a, b;
  std::vector<int32_t> ranks, sliceOffsets, sliceWidths;
  std::vector<float> scalings;
  std::map<std::pair<BenchOp, int64_t>, std::vector<double>> references;
};

} // namespace lora
