//===- Check.h - Whether the implementations agree on a case ---------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "Case.h"

#include <string>

namespace lora::differential {

/// Runs the case with the interpreter and the emulator and compares them with each other and with
/// the float64 reference; with a second launch, also its bits with those of the first. Returns what
/// is wrong, in one line, or an empty string.
///
/// Against the reference, each row may be off by 1e-5 (shrink), 2e-3 (expand in f16) or 1e-2
/// (expand in bf16) of its norm. Against each other, values may differ by 1e-5 and, in a few
/// places, by one rounding of the output or of s, since only the order of additions differs. Values
/// close to zero count as of the usual magnitude.
std::string check(const Case &test);

} // namespace lora::differential
