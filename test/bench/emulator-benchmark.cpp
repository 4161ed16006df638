//===- emulator-benchmark.cpp - Time and memory of an emulated shrink -----===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Execution/HostBackend.h"
#include "lora/Support/Error.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <sys/resource.h>
#include <thread>

using namespace lora;

namespace {

struct BenchmarkOptions {
  int64_t tokens = 16, hidden = 4096;
  int32_t rank = 16, adapters = 4;
  std::vector<std::string> targets = {"sm_80", "sm_90a"};
  size_t runs = 5;
};

} // namespace

/// The largest memory of this process so far.
static double peakMegabytes() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

static void measure(const BenchmarkOptions &options, const std::string &target) {
  LoraShape shape;
  shape.tokens = options.tokens;
  shape.hidden = options.hidden;
  shape.maxLoras = options.adapters;
  shape.maxRank = options.rank;
  shape.ranks.assign(static_cast<size_t>(options.adapters), options.rank);
  shape.sliceWidths = {1};
  LoraProblem problem(LoraOp::Shrink, shape,
                      randomMapping(options.tokens, options.adapters, 0, /*seed=*/1), /*seed=*/1);
  Config config = defaultConfig(LoraOp::Shrink, problem.shape());
  std::vector<double> seconds;
  for (size_t run = 0; run < options.runs; ++run) {
    problem.resetOutput();
    auto begin = std::chrono::steady_clock::now();
    runOnHost(HostBackend::Emulator, problem, config, target, /*seed=*/run);
    seconds.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    problem.checkWritten();
  }
  std::ranges::sort(seconds);
  std::printf("%s: %s: median %.2f s, best %.2f s, worst %.2f s, at most %.0f MB\n", target.c_str(),
              configText(config).c_str(), seconds[seconds.size() / 2], seconds.front(),
              seconds.back(), peakMegabytes());
}

int main(int argc, char **argv) {
  BenchmarkOptions options;
  CLI::App app("Measure how long the emulator takes for a shrink, its compilation included, and "
               "the memory it needs.",
               "emulator-benchmark");
  app.add_option("--tokens", options.tokens)->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--hidden", options.hidden)->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--rank", options.rank)->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--adapters", options.adapters)->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--arch", options.targets, "Targets to compile for")->delimiter(',');
  app.add_option("--runs", options.runs)->check(CLI::PositiveNumber)->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    std::printf("%lld tokens, hidden %lld, rank %d, %d adapters, %u cores\n",
                static_cast<long long>(options.tokens), static_cast<long long>(options.hidden),
                options.rank, options.adapters, std::thread::hardware_concurrency());
    for (const std::string &target : options.targets)
      measure(options, target);
  } catch (const Error &error) {
    std::cerr << "emulator-benchmark: " << error.what() << "\n";
    return 1;
  }
}
