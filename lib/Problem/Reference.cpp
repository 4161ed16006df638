//===- Reference.cpp - What shrink and expand should compute --------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Problem/Reference.h"

#include "Parallel.h"
#include "lora/Support/Error.h"

#include <cmath>
#include <limits>
#include <string>

using namespace lora;

/// The first `count` elements of a row in float64, so that they are converted only once.
static std::vector<double> rowOf(const MatrixView &matrix, int64_t row, int64_t count) {
  std::vector<double> values(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i)
    values[size_t(i)] = matrix.at(row, i);
  return values;
}

/// The sum of values[i] * row[i]. Several sums, because additions that depend on each other would
/// take most of the time.
template <typename Element, typename ToFloat>
static double dot(std::span<const double> values, const Element *row, ToFloat toFloat) {
  constexpr size_t parts = 8;
  double sums[parts] = {};
  size_t whole = values.size() / parts * parts;
  for (size_t i = 0; i < whole; i += parts)
    for (size_t part = 0; part < parts; ++part)
      sums[part] += values[i + part] * toFloat(row[i + part]);
  for (size_t i = whole; i < values.size(); ++i)
    sums[i - whole] += values[i] * toFloat(row[i]);
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

/// The sum of values[i] * matrix[row, i].
static double dotRow(std::span<const double> values, const MatrixView &matrix, int64_t row) {
  int64_t first = row * matrix.rowStride;
  auto *shorts = static_cast<const uint16_t *>(matrix.data);
  switch (matrix.type) {
  case DType::F16:
    return dot(values, shorts + first, [](uint16_t x) { return halfToFloat(x); });
  case DType::BF16:
    return dot(values, shorts + first, [](uint16_t x) { return bfloatToFloat(x); });
  default:
    return dot(values, static_cast<const float *>(matrix.data) + first, [](float x) { return x; });
  }
}

/// referenceExpand for the s that `rowOfS(index in rows, rank)` gives.
template <typename RowOfS>
static std::vector<double> expandRows(const ExpandOperands &operands, int32_t slice,
                                      std::span<const int64_t> rows, RowOfS rowOfS) {
  int64_t width = operands.sliceWidths[size_t(slice)];
  int64_t offset = operands.sliceOffsets[size_t(slice)];
  std::vector<double> result(rows.size() * size_t(width), 0.0);
  parallelFor(static_cast<int64_t>(rows.size()), [&](int64_t row) {
    int64_t token = rows[size_t(row)];
    int32_t lora = operands.tokenLora[size_t(token)];
    double *y = result.data() + row * width;
    if (operands.y0)
      for (int64_t n = 0; n < width; ++n)
        y[n] = operands.y0->at(token, offset + n);
    if (lora < 0)
      return;
    const MatrixView &b = operands.b[size_t(slice) * size_t(operands.maxLoras) + size_t(lora)];
    std::vector<double> s = rowOfS(row, operands.ranks[size_t(lora)]);
    for (int64_t n = 0; n < width; ++n)
      y[n] += dotRow(s, b, n);
  });
  return result;
}

std::vector<double> lora::referenceShrink(const ShrinkOperands &operands, int32_t slice,
                                          std::span<const int64_t> rows) {
  std::vector<double> result(rows.size() * size_t(operands.maxRank), 0.0);
  parallelFor(static_cast<int64_t>(rows.size()), [&](int64_t row) {
    int64_t token = rows[size_t(row)];
    int32_t lora = operands.tokenLora[size_t(token)];
    if (lora < 0)
      return;
    const MatrixView &a = operands.a[size_t(slice) * size_t(operands.maxLoras) + size_t(lora)];
    std::vector<double> x = rowOf(operands.x, token, operands.hidden);
    for (int32_t r = 0; r < operands.ranks[size_t(lora)]; ++r)
      result[size_t(row * operands.maxRank + r)] =
          operands.scalings[size_t(lora)] * dotRow(x, a, r);
  });
  return result;
}

std::vector<double> lora::referenceExpand(const ExpandOperands &operands, int32_t slice,
                                          std::span<const int64_t> rows) {
  const MatrixView &s = operands.s[size_t(slice)];
  return expandRows(operands, slice, rows,
                    [&](int64_t row, int32_t rank) { return rowOf(s, rows[size_t(row)], rank); });
}

std::vector<double> lora::referenceShrinkExpand(const ShrinkOperands &shrink,
                                                const ExpandOperands &expand, int32_t slice,
                                                std::span<const int64_t> rows) {
  std::vector<double> s = referenceShrink(shrink, slice, rows);
  return expandRows(expand, slice, rows, [&](int64_t row, int32_t rank) {
    auto first = s.begin() + row * shrink.maxRank;
    return std::vector<double>(first, first + rank);
  });
}

ErrorNorms ErrorNorms::of(std::span<const double> out, std::span<const double> ref) {
  if (out.size() != ref.size())
    throw Error("relative error of " + std::to_string(out.size()) + " values: expected " +
                std::to_string(ref.size()) + ", as many as in the reference");
  ErrorNorms norms;
  for (size_t i = 0; i < out.size(); ++i) {
    norms.difference += (out[i] - ref[i]) * (out[i] - ref[i]);
    norms.reference += ref[i] * ref[i];
  }
  return norms;
}

ErrorNorms &ErrorNorms::operator+=(const ErrorNorms &other) {
  difference += other.difference;
  reference += other.reference;
  return *this;
}

double ErrorNorms::relative() const {
  const double infinity = std::numeric_limits<double>::infinity();
  if (!std::isfinite(difference) || !std::isfinite(reference))
    return infinity;
  if (reference == 0)
    return difference == 0 ? 0 : infinity;
  return std::sqrt(difference / reference);
}

double lora::relativeError(std::span<const double> out, std::span<const double> ref) {
  return ErrorNorms::of(out, ref).relative();
}
