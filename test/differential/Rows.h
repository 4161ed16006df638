//===- Rows.h - The rows of a problem, wherever they lie -------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "lora/Problem/LoraProblem.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lora::differential {

HostBuffer &bufferOf(LoraProblem &problem, std::string_view name);

/// The bytes of the part of the output that belongs to a slice and a token: [maxRank] of s or
/// [width of the slice] of y.
std::span<std::byte> outputRow(LoraProblem &problem, int32_t slice, size_t token);

/// The same as numbers.
std::vector<double> outputValues(LoraProblem &problem, int32_t slice, size_t token);

/// Copies what belongs to a token, inputs and output, to a token of another problem with the same
/// sizes but for tokens and strides.
void copyToken(LoraProblem &from, size_t token, LoraProblem &to, size_t place);

/// The reference of each slice and token, before the output is written: [slices][tokens].
std::vector<std::vector<std::vector<double>>> referenceRows(LoraProblem &problem);

} // namespace lora::differential
