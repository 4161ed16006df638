//===- SampleReference.cpp - What some rows of a case should be -----------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SampleReference.h"

#include <numeric>

using namespace lora;

SampleReference::SampleReference(const BenchArguments &arguments, std::vector<int64_t> tokens)
    : one(arguments.shape()), patterns(arguments.patterns()), samples(std::move(tokens)) {
  for (int64_t token : samples)
    sampleLora.push_back(arguments.tokenLora()[static_cast<size_t>(token)]);
  auto slots = static_cast<size_t>(one.numLoras);
  ranks.assign(slots, static_cast<int32_t>(one.rank));
  scalings.assign(slots, benchScaling);
  int64_t column = one.offset;
  for (int64_t width : one.widths) {
    sliceOffsets.push_back(static_cast<int32_t>(column));
    sliceWidths.push_back(static_cast<int32_t>(width));
    column += width;
  }
  x = rowsOf(patterns.activations, BenchArguments::startOfX(), 0, one.hidden);
  if (one.addInputs)
    y = rowsOf(patterns.activations, BenchArguments::startOfY(), 0, one.yWidth());
  for (int64_t slice = 0; slice < one.slices(); ++slice)
    s.push_back(rowsOf(patterns.sums, BenchArguments::startOfS(), slice * one.tokens(), one.rank));
  takeWeights();
}

SampleReference::Bytes SampleReference::rowsOf(const Pattern &pattern, size_t start,
                                               int64_t firstRow, int64_t columns) const {
  Bytes all;
  for (int64_t token : samples) {
    Bytes row = pattern.elements(start, static_cast<size_t>((firstRow + token) * columns),
                                 static_cast<size_t>(columns));
    all.insert(all.end(), row.begin(), row.end());
  }
  return all;
}

void SampleReference::takeWeights() {
  auto slots = static_cast<size_t>(one.numLoras);
  a.resize(one.widths.size() * slots);
  b.resize(one.widths.size() * slots);
  for (int32_t slot : sampleLora) {
    for (int64_t slice = 0; slice < one.slices(); ++slice) {
      size_t index = static_cast<size_t>(slice) * slots + static_cast<size_t>(slot);
      auto take = [&](std::vector<Bytes> &all, size_t start, int64_t elements) {
        auto count = static_cast<size_t>(elements);
        if (all[index].empty())
          all[index] = patterns.weights.elements(start, static_cast<size_t>(slot) * count, count);
      };
      take(a, BenchArguments::startOfA(slice), one.rank * one.hidden);
      take(b, BenchArguments::startOfB(slice), one.rank * one.widths[static_cast<size_t>(slice)]);
    }
  }
}

ShrinkOperands SampleReference::shrinkOperands() const {
  ShrinkOperands operands;
  operands.hidden = one.hidden;
  operands.maxRank = static_cast<int32_t>(one.rank);
  operands.maxLoras = static_cast<int32_t>(one.numLoras);
  operands.x = {one.dtype, x.data(), one.hidden};
  for (const Bytes &weights : a)
    operands.a.push_back({one.dtype, weights.data(), one.hidden});
  operands.ranks = ranks;
  operands.scalings = scalings;
  operands.tokenLora = sampleLora;
  return operands;
}

ExpandOperands SampleReference::expandOperands() const {
  ExpandOperands operands;
  operands.maxLoras = static_cast<int32_t>(one.numLoras);
  for (const Bytes &sums : s)
    operands.s.push_back({DType::F32, sums.data(), one.rank});
  for (const Bytes &weights : b)
    operands.b.push_back({one.dtype, weights.data(), one.rank});
  if (one.addInputs)
    operands.y0 = MatrixView{one.dtype, y.data(), one.yWidth()};
  operands.sliceOffsets = sliceOffsets;
  operands.sliceWidths = sliceWidths;
  operands.ranks = ranks;
  operands.tokenLora = sampleLora;
  return operands;
}

std::vector<double> SampleReference::compute(BenchOp op, int64_t slice) const {
  std::vector<int64_t> rows(samples.size());
  std::iota(rows.begin(), rows.end(), 0);
  auto index = static_cast<int32_t>(slice);
  switch (op) {
  case BenchOp::Shrink:
    return referenceShrink(shrinkOperands(), index, rows);
  case BenchOp::Expand:
    return referenceExpand(expandOperands(), index, rows);
  default:
    return referenceShrinkExpand(shrinkOperands(), expandOperands(), index, rows);
  }
}

const std::vector<double> &SampleReference::of(BenchOp op, int64_t slice) {
  auto [place, isNew] = references.try_emplace({op, slice});
  if (isNew)
    place->second = compute(op, slice);
  return place->second;
}
