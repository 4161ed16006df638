//===- Report.h - Tables of the measured errors --------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "Cases.h"
#include "Measure.h"

#include <ostream>
#include <string>
#include <vector>

namespace lora::accuracy {

/// A case with what came of it.
struct CaseResult {
  Case item;
  Outcome outcome;
};

/// What came of a bitwise check.
struct BitwiseResult {
  std::string name;
  size_t configs = 0, batches = 0;
  /// Nothing if it passed.
  std::string failure;
};

/// Everything that was run.
struct Report {
  std::string device;
  std::vector<CaseResult> cases;
  std::vector<BitwiseResult> bitwise;

  size_t failed() const;
  size_t passed() const { return cases.size() + bitwise.size() - failed(); }

  /// Markdown: for each type and op, the worst error for each number of tokens and hidden size;
  /// then the cases outside of the grid, the bitwise checks and the failures.
  void print(std::ostream &out) const;
};

} // namespace lora::accuracy
