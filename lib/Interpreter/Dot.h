//===- Dot.h - Matrix products of tiles -----------------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "Tensor.h"

namespace lora::interpreter {

/// Adds `lhs . rhs` to `sum`: to each element the products in ascending order of k, each sum
/// rounded to f32. The product of two 16-bit floats or two tf32 values has no rounding error.
void accumulateDot(const Tensor &lhs, const Tensor &rhs, Tensor &sum);

} // namespace lora::interpreter
