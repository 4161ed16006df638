//===- lora-bench.cpp - Measure multi-LoRA kernels ------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../CommandLine.h"
#include "Report.h"
#include "lora/Bench/Bench.h"
#include "lora/Bench/Compare.h"
#include "lora/Bench/Document.h"

#include <nlohmann/json.hpp>

using namespace lora;

namespace {

constexpr int64_t most = std::numeric_limits<int32_t>::max();

struct CompareOptions {
  std::string before, after;
  double tolerance = 0.03;
  std::vector<std::string> impls;
};

struct ReportOptions {
  std::vector<std::string> files;
  std::string output;
  bool noPlots = false;
};

} // namespace

static CLI::Option *addSizes(CLI::App &mode, const std::string &name, std::vector<int64_t> &values,
                             const std::string &text) {
  return mode.add_option(name, values, text)
      ->delimiter(',')
      ->check(numberIn<int64_t>(1, most))
      ->capture_default_str();
}

static void addSwitches(CLI::App &mode, const std::string &name, std::vector<int> &values,
                        const std::string &text) {
  mode.add_option(name, values, text)
      ->delimiter(',')
      ->check(CLI::IsMember({0, 1}))
      ->capture_default_str();
}

static void addSwitch(CLI::App &mode, const std::string &name, bool &value,
                      const std::string &text) {
  mode.add_option(name, value, text)->check(CLI::IsMember({"0", "1"}))->capture_default_str();
}

static void addSteps(CLI::App &mode, const std::string &name, BenchSteps &steps) {
  auto add = [&](const char *part, int64_t &value, const char *text) {
    mode.add_option(name + part, value, text)
        ->check(numberIn<int64_t>(1, most))
        ->capture_default_str();
  };
  add("-start", steps.start, "The first");
  add("-end", steps.end, "The last, included");
  add("-increment", steps.increment, "From one to the next");
}

static void addCaseOptions(CLI::App &mode, BenchOptions &options) {
  addSizes(mode, "--batch-sizes", options.batchSizes, "Requests in a batch");
  addSizes(mode, "--seq-lengths", options.seqLengths, "Tokens of a request");
  addSizes(mode, "--num-loras", options.numLoras, "Adapter slots");
  mode.add_option("--num-active-loras", options.numActiveLoras,
                  "Slots that tokens use (default: all)")
      ->check(numberIn<int64_t>(1, most));
  mode.add_option("--dtype", options.dtype, "Type of x, y and weights: f16 or bf16")
      ->check(CLI::IsMember({"f16", "bf16"}))
      ->capture_default_str();
  addSwitches(mode, "--sort-by-lora-id", options.sortByLoraId,
              "0, 1 or both: whether tokens come sorted by adapter");
  mode.add_option("--no-lora-fraction", options.noLoraFraction,
                  "Fraction of the requests without an adapter")
      ->check(numberIn(0.0, 1.0))
      ->capture_default_str();
  addSwitches(mode, "--expand-fn-add-inputs", options.expandFnAddInputs,
              "0, 1 or both: whether expand adds to y or overwrites it");
  mode.add_option("--op-types", options.opTypes,
                  "What to measure: lora_*, bgmv_* (a token a request), sgmv_* (tokens sorted by "
                  "adapter)")
      ->delimiter(',')
      ->capture_default_str();
}

static void addRunOptions(CLI::App &mode, BenchOptions &options) {
  mode.add_option("--baselines", options.baselines, "What to measure: lora-tile, cublas")
      ->delimiter(',')
      ->check(CLI::IsMember({"lora-tile", "cublas"}))
      ->capture_default_str();
  mode.add_option("--pack", options.pack,
                  "Kernel pack (default: the one installed with the runtime library)");
  mode.add_option("--cublas", options.cublas, "The cuBLAS library (default: that of the machine)");
  mode.add_option("--arg-pool-size", options.argPoolSize,
                  "Sets of arguments to go round, within 2 GB")
      ->check(numberIn<uint64_t>(1, 100000))
      ->capture_default_str();
  mode.add_option("--cuda-graph-nops", options.cudaGraphNops, "Calls in a graph")
      ->check(numberIn<unsigned>(1, 100000))
      ->capture_default_str();
  addSwitch(mode, "--with-cuda-graph", options.withCudaGraph,
            "0 times calls from the host, with its overhead");
  mode.add_option("--replays", options.replays, "Replays, of which the median counts")
      ->check(numberIn<unsigned>(1, 100000))
      ->capture_default_str();
  addSwitch(mode, "--test-correctness", options.testCorrectness, "0 skips the checks");
  mode.add_option("--seed", options.seed, "Of the mapping and the values")
      ->check(numberIn<uint64_t>(0, std::numeric_limits<uint64_t>::max()))
      ->capture_default_str();
  mode.add_option("--json", options.json, "File for all results");
  mode.add_option("--csv", options.csv, "File with a line for each result");
  mode.add_flag("--resume", options.resume, "Keep the cases that the --json file has");
  mode.add_flag("--dry-run", options.dryRun, "Print cases, bytes and floors; needs no GPU");
  mode.add_option("--bandwidth", options.bandwidth, "Of --dry-run, in TB/s")
      ->check(numberIn(1e-3, 1e6))
      ->capture_default_str();
}

static void addModes(CLI::App &app, BenchOptions &options) {
  CLI::App *list = app.add_subcommand("list_bench", "All combinations of the sizes given");
  addSizes(*list, "--hidden-sizes", options.hiddenSizes, "Columns of x and of each slice of y");
  addSizes(*list, "--lora-ranks", options.loraRanks, "Ranks");
  addSizes(*list, "--num-slices", options.numSlices, "Slices of one launch");

  CLI::App *range = app.add_subcommand("range_bench", "Ranges of hidden sizes and ranks");
  addSteps(*range, "--hidden-sizes", options.hiddenSteps);
  addSteps(*range, "--lora-ranks", options.rankSteps);
  addSizes(*range, "--num-slices", options.numSlices, "Slices of one launch");

  CLI::App *model = app.add_subcommand("model_bench", "The layers of models");
  model
      ->add_option("--models", options.models,
                   "Names of well-known models, config.json files, or folders that hold one")
      ->required();
  addSizes(*model, "--tp-sizes", options.tpSizes, "GPUs that a layer is divided over");
  model->add_option("--adapter", options.adapter, "PEFT adapter that tells rank and modules");
  addSizes(*model, "--lora-ranks", options.loraRanks, "Ranks");

  for (CLI::App *mode : {list, range, model}) {
    addCaseOptions(*mode, options);
    addRunOptions(*mode, options);
  }
  list->callback([&] { options.mode = BenchMode::List; });
  range->callback([&] { options.mode = BenchMode::Range; });
  model->callback([&] { options.mode = BenchMode::Model; });
}

static CLI::App *addCompare(CLI::App &app, CompareOptions &options) {
  CLI::App *mode = app.add_subcommand("compare", "What changed; exit status 1 after a regression");
  mode->add_option("old", options.before, "JSON of a run")->required();
  mode->add_option("new", options.after, "JSON of a later run")->required();
  mode->add_option("--tolerance", options.tolerance, "Least relative difference that counts")
      ->check(numberIn(0.0, 1e6))
      ->capture_default_str();
  mode->add_option("--impls", options.impls, "What to compare (default: all of lora-tile)")
      ->delimiter(',');
  return mode;
}

static CLI::App *addReport(CLI::App &app, ReportOptions &options) {
  CLI::App *mode =
      app.add_subcommand("report", "One self-contained HTML page, made by Python's lora_tile");
  mode->add_option("files", options.files, "JSON of runs")->required();
  mode->add_option("-o,--output", options.output, "The page")->required();
  mode->add_flag("--no-plots", options.noPlots, "The tables alone: needs no matplotlib");
  return mode;
}

static int runCompare(const CompareOptions &options) {
  Comparison found = compareDocuments(loadDocument(options.before), loadDocument(options.after),
                                      options.tolerance, options.impls);
  if (found.compared == 0)
    throw Error(options.after + ": found no result that " + options.before + " has too");
  for (const std::string &change : found.changes)
    std::cout << change << "\n";
  std::cout << found.compared << " results compared, " << found.changes.size() << " changed, "
            << found.regressions << " regressions\n";
  return found.regressions > 0;
}

int main(int argc, char **argv) {
  BenchOptions options;
  CompareOptions comparison;
  ReportOptions page;
  CLI::App app("Measure multi-LoRA kernels against cuBLAS and the bandwidth of the GPU;\n"
               "docs/benchmark.md says how to read the results.",
               "lora-bench");
  app.require_subcommand(0, 1);
  addModes(app, options);
  CLI::App *compare = addCompare(app, comparison);
  CLI::App *report = addReport(app, page);
  int status = 0;
  int failure = runTool(app, argc, argv, [&] {
    if (app.get_subcommands().empty())
      throw Error(
          "found no mode, expected list_bench, range_bench, model_bench, compare or report");
    if (compare->parsed())
      status = runCompare(comparison);
    else if (report->parsed())
      status = makeReport(page.files, page.output, page.noPlots);
    else
      status = runBench(options);
  });
  return failure ? failure : status;
}
