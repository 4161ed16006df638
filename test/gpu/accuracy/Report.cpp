//===- Report.cpp - Tables of the measured errors ------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"

#include <algorithm>
#include <iomanip>
#include <map>
#include <sstream>

using namespace lora;
using namespace lora::accuracy;

namespace {

/// The worst of some cases.
struct Worst {
  double error = 0;
  size_t cases = 0, failed = 0, sampled = 0;

  void add(const Outcome &outcome) {
    error = std::max(error, outcome.error);
    ++cases;
    failed += !outcome.failure.empty();
    sampled += outcome.sampled;
  }

  /// E.g. "1.2e-04"; a failure shows instead of an error that may not even have been measured.
  std::string text() const {
    if (failed > 0)
      return std::to_string(failed) + " failed";
    std::ostringstream text;
    text << std::scientific << std::setprecision(1) << error;
    return text.str();
  }
};

using Row = std::vector<std::string>;

} // namespace

static void printRow(std::ostream &out, const Row &cells) {
  out << "|";
  for (const std::string &cell : cells)
    out << " " << cell << " |";
  out << "\n";
}

static void printTable(std::ostream &out, const Row &head, const std::vector<Row> &rows) {
  printRow(out, head);
  printRow(out, Row(head.size(), "---"));
  for (const Row &row : rows)
    printRow(out, row);
  out << "\n";
}

/// The table of the cases of the grid with a type and an op.
static void printGrid(std::ostream &out, const std::vector<CaseResult> &cases, DType type,
                      LoraOp op) {
  std::map<int64_t, std::map<int64_t, Worst>> grid;
  Worst all;
  Row head = {"tokens"};
  for (const auto &[item, outcome] : cases) {
    if (!item.inGrid || item.shape.xType != type || item.op != op)
      continue;
    grid[item.shape.tokens][item.shape.hidden].add(outcome);
    all.add(outcome);
  }
  if (all.cases == 0)
    return;
  for (const auto &[hidden, worst] : grid.begin()->second)
    head.push_back("hidden " + std::to_string(hidden));
  std::vector<Row> rows;
  for (const auto &[tokens, columns] : grid) {
    rows.push_back({std::to_string(tokens)});
    for (const auto &[hidden, worst] : columns)
      rows.back().push_back(worst.text());
  }
  LoraShape shape;
  shape.xType = shape.wType = type;
  out << "### " << opName(op) << ", " << dtypeName(type) << "\n\n"
      << "Worst relative error over ranks, adapters and slices of " << all.cases << " cases, "
      << all.sampled << " of them sampled: " << all.text() << ", limit " << tolerance(shape)
      << ".\n\n";
  printTable(out, head, rows);
}

static void printSpecialCases(std::ostream &out, const std::vector<CaseResult> &cases) {
  std::map<std::string, std::map<std::string, Worst>> notes;
  for (const auto &[item, outcome] : cases)
    if (!item.inGrid)
      notes[std::string(opName(item.op)) + ": " + item.note]
           [std::string(dtypeName(item.shape.xType)) + " with " +
            std::string(dtypeName(item.shape.wType)) + " weights"]
               .add(outcome);
  if (notes.empty())
    return;
  std::vector<Row> rows;
  for (const auto &[note, types] : notes)
    for (const auto &[type, worst] : types)
      rows.push_back({note, type, std::to_string(worst.cases), worst.text()});
  out << "### Special cases\n\n";
  printTable(out, {"what", "types", "cases", "worst relative error"}, rows);
}

static void printBitwise(std::ostream &out, const std::vector<BitwiseResult> &checks) {
  if (checks.empty())
    return;
  std::vector<Row> rows;
  for (const BitwiseResult &check : checks)
    rows.push_back({check.name, std::to_string(check.configs), std::to_string(check.batches),
                    check.failure.empty() ? "identical" : "failed"});
  out << "### Same bits\n\n"
      << "Every config gives the same bits, and so does the default one for rows in other batches, "
         "alone or among others, at other positions.\n\n";
  printTable(out, {"problem", "configs", "other batches", "bits"}, rows);
}

static void printFailures(std::ostream &out, const Report &report) {
  if (report.failed() == 0)
    return;
  out << "### Failures\n\n";
  for (const auto &[item, outcome] : report.cases)
    if (!outcome.failure.empty())
      out << "- " << item.name() << ": " << outcome.failure << "\n";
  for (const BitwiseResult &check : report.bitwise)
    if (!check.failure.empty())
      out << "- same bits of " << check.name << ": " << check.failure << "\n";
  out << "\n";
}

size_t Report::failed() const {
  auto hasFailed = [](const auto &result) { return !result.failure.empty(); };
  auto ofCases = std::count_if(cases.begin(), cases.end(),
                               [&](const CaseResult &result) { return hasFailed(result.outcome); });
  return size_t(ofCases + std::count_if(bitwise.begin(), bitwise.end(), hasFailed));
}

void Report::print(std::ostream &out) const {
  out << "Device: " << device << ".\n\n"
      << "The relative error is ||out - ref|| / ||ref|| against a float64 reference. It is over "
         "all "
         "rows of a problem, or, where that would take more than 2^28 multiply-adds, over as many "
         "as those allow and at least "
      << kLeastRows
      << ", drawn evenly from the tokens in the order of their adapters; each row must also be "
         "within the limit, relative to its own norm or that of the mean row. All other rows must "
         "be finite. About 10 % of the tokens have no adapter, and their rows must be untouched, "
         "as "
         "must everything outside of the slices.\n\n";
  for (DType type : {DType::F16, DType::BF16})
    for (LoraOp op : {LoraOp::Shrink, LoraOp::Expand})
      printGrid(out, cases, type, op);
  printSpecialCases(out, cases);
  printBitwise(out, bitwise);
  printFailures(out, *this);
}
