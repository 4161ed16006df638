//===- Options.h - The command line of lora-tune --------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "lora/Tuner/DispatchTable.h"
#include "lora/Tuner/ProblemGrid.h"
#include "lora/Tuner/Report.h"
#include "lora/Tuner/Search.h"

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace lora::tuner {

/// Of tuning itself.
struct TuneOptions {
  ProblemGrid grid;
  std::vector<std::string> kernels = {"shrink", "expand", "shrink_expand"}, only;
  std::string phase, bundle, database = "tune.sqlite", output, budget, device = "gpu", shard;
  std::string target = "sm_90a", cache, artefact;
  SearchOptions search;
  bool programmatic = true, quiet = false, untuned = false;
  size_t mostKernels = 150, mostCandidates = 400, jobs = 0;
  int64_t compileLimit = 60, launchLimit = 60;
  unsigned replays = 3, finalReplays = 15;
  uint64_t seed = 0;
};

struct ExportOptions {
  std::string database = "tune.sqlite", bundle, output;
  std::vector<std::string> alsoTypes;
  DispatchOptions dispatch;
};

struct Options {
  TuneOptions tune;
  ExportOptions exported;
  /// Of show, explain, merge, prune and replay.
  std::string database = "tune.sqlite";
  ShowOptions show;
  bool summary = false;
  std::vector<std::string> merged;
  size_t replaySeeds = 10;
};

/// Adds tuning's options to the application, and a subcommand for each other thing to do.
void addOptions(CLI::App &app, Options &options);

/// "90", "90s", "10m" or "2h" in seconds; empty is 0. Throws Error with the text otherwise.
double parseBudget(const std::string &text);

} // namespace lora::tuner
