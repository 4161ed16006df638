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

/// referenceExpand for the s that `readS(index in rows, r)` gives.
template <typename ReadS>
static std::vector<double> expandRows(const ExpandOperands &operands, int32_t slice,
                                      std::span<const int64_t> rows, ReadS readS) {
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
    for (int64_t n = 0; n < width; ++n)
      for (int32_t r = 0; r < operands.ranks[size_t(lora)]; ++r)
        y[n] += readS(row, r) * b.at(n, r);
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
    for (int32_t r = 0; r < operands.ranks[size_t(lora)]; ++r) {
      double sum = 0;
      for (int64_t k = 0; k < operands.hidden; ++k)
        sum += operands.x.at(token, k) * a.at(r, k);
      result[size_t(row * operands.maxRank + r)] = operands.scalings[size_t(lora)] * sum;
    }
  });
  return result;
}

std::vector<double> lora::referenceExpand(const ExpandOperands &operands, int32_t slice,
                                          std::span<const int64_t> rows) {
  const MatrixView &s = operands.s[size_t(slice)];
  return expandRows(operands, slice, rows,
                    [&](int64_t row, int32_t r) { return s.at(rows[size_t(row)], r); });
}

std::vector<double> lora::referenceShrinkExpand(const ShrinkOperands &shrink,
                                                const ExpandOperands &expand, int32_t slice,
                                                std::span<const int64_t> rows) {
  std::vector<double> s = referenceShrink(shrink, slice, rows);
  return expandRows(expand, slice, rows,
                    [&](int64_t row, int32_t r) { return s[size_t(row * shrink.maxRank + r)]; });
}

double lora::relativeError(std::span<const double> out, std::span<const double> ref) {
  if (out.size() != ref.size())
    throw Error("relative error of " + std::to_string(out.size()) + " values: expected " +
                std::to_string(ref.size()) + ", as many as in the reference");
  const double infinity = std::numeric_limits<double>::infinity();
  double difference = 0, norm = 0;
  for (size_t i = 0; i < out.size(); ++i) {
    difference += (out[i] - ref[i]) * (out[i] - ref[i]);
    norm += ref[i] * ref[i];
  }
  if (!std::isfinite(difference) || !std::isfinite(norm))
    return infinity;
  if (norm == 0)
    return difference == 0 ? 0 : infinity;
  return std::sqrt(difference / norm);
}
