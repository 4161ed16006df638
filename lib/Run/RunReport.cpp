//===- RunReport.cpp - The results of a run as text -----------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Run/Run.h"
#include "lora/Support/Error.h"

#include <algorithm>
#include <array>
#include <cstdio>

using namespace lora;

using Cells = std::array<std::string, 5>;

static std::string format(const char *pattern, double value) {
  char text[32];
  std::snprintf(text, sizeof(text), pattern, value);
  return text;
}

static Cells cellsOf(const RunRow &row) {
  return {row.op, row.shape, format("%.2e", row.error),
          row.microseconds ? format("%.2f", *row.microseconds) : "-",
          row.config.empty() ? "-" : row.config};
}

std::string RunReport::text() const {
  std::vector<Cells> table = {{"op", "shape", "error", "time [us]", "config"}};
  for (const RunRow &row : rows)
    table.push_back(cellsOf(row));
  std::string text;
  for (const std::string &line : summary)
    text += line + "\n";
  text += "\n";
  for (const Cells &cells : table) {
    std::string line;
    for (size_t column = 0; column < cells.size(); ++column) {
      size_t width = 0;
      for (const Cells &other : table)
        width = std::max(width, other[column].size());
      line += cells[column];
      if (column + 1 < cells.size())
        line += std::string(width - cells[column].size() + 2, ' ');
    }
    text += line + "\n";
  }
  return text;
}

void RunReport::check() const {
  for (const RunRow &row : rows)
    if (!(row.error <= tolerance))
      throw Error(row.op + ": found a relative error of " + format("%.2e", row.error) +
                  ", expected at most " + format("%.0e", tolerance));
}
