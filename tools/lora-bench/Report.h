//===- Report.h - The page about runs -------------------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include <string>
#include <vector>

namespace lora {

/// Makes one HTML page about runs with `python3 -m lora_tile.bench report`, and returns its exit
/// status. $LORA_PYTHON names another interpreter. Throws Error if the interpreter or the package
/// is missing.
int makeReport(const std::vector<std::string> &files, const std::string &output, bool noPlots);

} // namespace lora
