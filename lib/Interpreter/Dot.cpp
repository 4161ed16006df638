//===- Dot.cpp - Matrix products of tiles ---------------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Dot.h"

#include <bit>
#include <cmath>

using namespace lora::interpreter;

/// The tf32 nearest to a value, ties away from zero. NaN stays NaN.
static float roundToTF32(float value) {
  if (std::isnan(value))
    return value;
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  return std::bit_cast<float>((bits + 0x1000) & ~0x1fffu);
}

/// The elements of an operand as the tensor cores see them.
static llvm::SmallVector<float, 0> getOperand(const Tensor &tensor) {
  llvm::SmallVector<float, 0> values(tensor.floats.begin(), tensor.floats.end());
  if (tensor.element == Element::F32)
    for (float &value : values)
      value = roundToTF32(value);
  return values;
}

void lora::interpreter::accumulateDot(const Tensor &lhs, const Tensor &rhs, Tensor &sum) {
  const int64_t m = lhs.shape[0], k = lhs.shape[1], n = rhs.shape[1];
  const auto a = getOperand(lhs), b = getOperand(rhs);
  for (int64_t i = 0; i != m; ++i) {
    float *row = &sum.floats[i * n];
    for (int64_t p = 0; p != k; ++p) {
      const float factor = a[i * k + p];
      const float *other = &b[p * n];
      for (int64_t j = 0; j != n; ++j)
        row[j] += factor * other[j];
    }
  }
}
