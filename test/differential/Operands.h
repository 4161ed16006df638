//===- Operands.h - What a problem's reference is computed from ------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "lora/Problem/LoraProblem.h"

#include <string_view>
#include <vector>

namespace lora::differential {

/// Throws Error if there is none of that name.
HostBuffer &bufferOf(LoraProblem &problem, std::string_view name);

/// [slices]: the first column of each slice in y.
std::vector<int32_t> sliceOffsets(const LoraShape &shape);

/// The operands in the buffers of the problem, which must outlive them.
ShrinkOperands shrinkOperands(LoraProblem &problem);

/// The same for an expand; the output counts as y0. Both arguments must outlive the operands.
ExpandOperands expandOperands(LoraProblem &problem, const std::vector<int32_t> &offsets);

} // namespace lora::differential
