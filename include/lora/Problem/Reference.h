//===- Reference.h - What shrink and expand should compute ----------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "lora/Support/DType.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace lora {

/// A matrix in host memory that somebody else owns.
struct MatrixView {
  DType type = DType::F32;
  const void *data = nullptr;
  /// Elements from one row to the next.
  int64_t rowStride = 0;

  double at(int64_t row, int64_t column) const {
    return loadElement(type, data, row * rowStride + column);
  }
};

/// The operands of s[slice, t, r] = scaling[l] * sum over k of x[t, k] * A[slice, l][r, k], with
/// l = tokenLora[t].
struct ShrinkOperands {
  /// Columns of x and of every A.
  int64_t hidden = 0;
  int32_t maxRank = 0;
  int32_t maxLoras = 0;
  /// [tokens, hidden].
  MatrixView x;
  /// [slices, maxLoras] matrices of [ranks[l], hidden].
  std::vector<MatrixView> a;
  /// [maxLoras]; 0 is an empty slot, whose matrices are not looked at.
  std::span<const int32_t> ranks;
  /// [maxLoras].
  std::span<const float> scalings;
  /// [tokens], in -1 to maxLoras - 1.
  std::span<const int32_t> tokenLora;
};

/// The operands of y[t, offset + n] = y0[t, offset + n] + sum over r of s[slice, t, r] *
/// B[slice, l][n, r], with l = tokenLora[t] and the slice's offset.
struct ExpandOperands {
  int32_t maxLoras = 0;
  /// [slices] matrices of [tokens, at least the rank of the token's adapter].
  std::vector<MatrixView> s;
  /// [slices, maxLoras] matrices of [sliceWidths[slice], ranks[l]].
  std::vector<MatrixView> b;
  /// [tokens, output columns]; without it y0 is zero.
  std::optional<MatrixView> y0;
  /// [slices]: the first column of the slice in y, and its number of columns.
  std::span<const int32_t> sliceOffsets;
  std::span<const int32_t> sliceWidths;
  /// [maxLoras]; 0 is an empty slot, whose matrices are not looked at.
  std::span<const int32_t> ranks;
  /// [tokens], in -1 to maxLoras - 1.
  std::span<const int32_t> tokenLora;
};

/// The rows of s for the given tokens, computed in float64: [rows, maxRank], with zeros beyond the
/// rank of the token's adapter and for a token without one. Uses all cores.
std::vector<double> referenceShrink(const ShrinkOperands &operands, int32_t slice,
                                    std::span<const int64_t> rows);

/// The columns of a slice of y for the given tokens, computed in float64 and not rounded: [rows,
/// sliceWidths[slice]]. A token without an adapter has y0. Uses all cores.
std::vector<double> referenceExpand(const ExpandOperands &operands, int32_t slice,
                                    std::span<const int64_t> rows);

/// As referenceExpand for the s that referenceShrink computes, which stays in float64; that of
/// `expand` is not looked at.
std::vector<double> referenceShrinkExpand(const ShrinkOperands &shrink,
                                          const ExpandOperands &expand, int32_t slice,
                                          std::span<const int64_t> rows);

/// Sums of squares that make up a relative error; they add up over parts of an output.
struct ErrorNorms {
  /// Of out - ref, and of ref.
  double difference = 0, reference = 0;

  /// Throws Error if the sizes differ.
  static ErrorNorms of(std::span<const double> out, std::span<const double> ref);

  ErrorNorms &operator+=(const ErrorNorms &other);

  /// ||out - ref|| / ||ref|| in the Euclidean norm. Infinity when any value is not finite, or when
  /// ref is zero and out is not; zero when both are. So no comparison with a tolerance passes a
  /// NaN.
  double relative() const;
};

/// ErrorNorms::of(out, ref).relative().
double relativeError(std::span<const double> out, std::span<const double> ref);

} // namespace lora
