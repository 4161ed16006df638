//===- Run.cpp - Runs of a benchmark --------------------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Bench/Bench.h"

#include "lora/Support/Error.h"
#include "lora/Support/Files.h"

#include <nlohmann/json.hpp>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <map>

using namespace lora;
using nlohmann::ordered_json;

namespace {

/// The exit status after Ctrl-C, as shells have it.
constexpr int interruptedStatus = 130;

volatile std::sig_atomic_t isInterrupted = 0;

/// Notes the first Ctrl-C while it lives; a second one ends the program.
class InterruptNote {
public:
  InterruptNote() {
    isInterrupted = 0;
    previous = std::signal(SIGINT, [](int) {
      isInterrupted = 1;
      std::signal(SIGINT, SIG_DFL);
    });
  }
  ~InterruptNote() { std::signal(SIGINT, previous); }
  InterruptNote(const InterruptNote &) = delete;
  InterruptNote &operator=(const InterruptNote &) = delete;

private:
  void (*previous)(int);
};

/// Says how far a run is, and how long it may take still, every five seconds at most.
class CaseProgress {
public:
  explicit CaseProgress(size_t total) : total(total), begin(Clock::now()), last(begin) {}

  void show(size_t done) {
    Clock::time_point now = Clock::now();
    if (done == 0 || now - last < std::chrono::seconds(5))
      return;
    last = now;
    double perCase = std::chrono::duration<double>(now - begin).count() / static_cast<double>(done);
    std::fprintf(stderr, "%zu of %zu cases, %.0f s left\n", done, total,
                 perCase * static_cast<double>(total - done));
  }

private:
  using Clock = std::chrono::steady_clock;

  size_t total;
  Clock::time_point begin, last;
};

std::string formatted(const char *format, double value) {
  std::array<char, 64> text = {};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

void dryRun(const std::vector<BenchCase> &cases, double bandwidth) {
  std::vector<std::vector<std::string>> lines = {
      {"model", "tokens", "shape", "rank", "loras", "op", "MB", "Mflop", "floor us"}};
  for (const BenchCase &one : cases)
    for (BenchOp op : one.ops) {
      auto bytes = static_cast<double>(one.bytesOf(op));
      lines.push_back({one.label.empty() ? "-" : one.label, std::to_string(one.tokens()),
                       shapeText(one.hidden, one.widths), std::to_string(one.rank),
                       std::to_string(one.numLoras), std::string(benchOpName(op)),
                       formatted("%.3f", bytes / 1e6),
                       formatted("%.2f", static_cast<double>(one.flopsOf(op)) / 1e6),
                       formatted("%.3f", bytes / bandwidth / 1e6)});
    }
  std::cout << alignedTable(lines, true) << cases.size() << " cases; floors at "
            << formatted("%g", bandwidth) << " TB/s, set by --bandwidth\n";
}

/// The rows of an earlier run by their keys.
std::map<std::string, ordered_json> rowsToKeep(const BenchOptions &options) {
  std::map<std::string, ordered_json> rows;
  if (!options.resume)
    return rows;
  if (options.json.empty())
    throw Error("--resume: expected --json, the file to go on with");
  if (!std::filesystem::exists(options.json))
    return rows;
  ordered_json document = loadDocument(options.json);
  for (const ordered_json &row : document["rows"])
    rows.emplace(row["key"].get<std::string>(), row);
  return rows;
}

bool hasAllOps(const ordered_json &row, const BenchCase &one) {
  for (BenchOp op : one.ops) {
    bool found = false;
    for (const ordered_json &name : row["case"]["ops"])
      found |= name == benchOpName(op);
    if (!found)
      return false;
  }
  return true;
}

void requireGpu() {
  try {
    Driver::load();
  } catch (const Error &error) {
    throw Error(std::string(error.what()) + "; --dry-run needs no GPU");
  }
}

void save(const BenchOptions &options, const ordered_json &document) {
  if (!options.json.empty())
    writeFile(options.json, documentText(document));
}

std::string summaryOf(const ordered_json &document, const BenchOptions &options) {
  return "\n" + document["device"]["name"].get<std::string>() +
         "; microseconds per call, median of " + std::to_string(options.replays) + " replays of " +
         std::to_string(options.cudaGraphNops) + " calls" +
         (options.withCudaGraph ? " in a CUDA graph" : "") + "; floors at the " +
         formatted("%.2f", document["copy_bytes_per_second"].get<double>() / 1e12) +
         " TB/s of a copy, measured in this run. cublas serves one adapter, the others all.\n";
}

/// Prints a line for each failure; whether there was one.
bool reportFailures(const ordered_json &document) {
  bool any = false;
  for (const ordered_json &row : document["rows"])
    for (const ordered_json &result : row["results"])
      if (result.contains("failed")) {
        any = true;
        std::cerr << "FAILED " << row["key"].get<std::string>() << ": "
                  << result["op"].get<std::string>() << " " << result["impl"].get<std::string>()
                  << ": " << result["failed"].get<std::string>() << "\n";
      }
  return any;
}

/// Measures the cases into the document.
void measure(const BenchOptions &options, const std::vector<BenchCase> &cases,
             const std::map<std::string, ordered_json> &kept, Bench &bench,
             ordered_json &document) {
  CaseProgress progress(cases.size());
  for (size_t i = 0; i < cases.size() && !isInterrupted; ++i) {
    progress.show(i);
    auto row = kept.find(cases[i].key());
    if (row != kept.end() && hasAllOps(row->second, cases[i]))
      document["rows"].push_back(row->second);
    else
      document["rows"].push_back(rowJson(cases[i], bench.run(cases[i])));
    save(options, document);
  }
}

} // namespace

int lora::runBench(const BenchOptions &options) {
  std::vector<BenchCase> cases = makeCases(options);
  if (options.dryRun) {
    dryRun(cases, options.bandwidth);
    return 0;
  }
  std::map<std::string, ordered_json> kept = rowsToKeep(options);
  requireGpu();
  InterruptNote note;
  Bench bench(options);
  if (!bench.whyNoCublas().empty())
    std::cerr << "cublas is not measured: " << bench.whyNoCublas() << "\n";
  ordered_json document = bench.document();
  measure(options, cases, kept, bench, document);
  if (isInterrupted)
    std::cerr << "interrupted after " << document["rows"].size() << " of " << cases.size()
              << " cases\n";
  save(options, document);
  if (!options.csv.empty())
    writeFile(options.csv, documentCsv(document));
  std::cout << documentTable(document) << summaryOf(document, options);
  bool failed = reportFailures(document);
  return isInterrupted ? interruptedStatus : failed;
}
