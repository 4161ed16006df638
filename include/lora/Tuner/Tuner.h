//===- Tuner.h - Measuring the candidates of a bundle ---------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "lora/Tuner/Bundle.h"
#include "lora/Tuner/Database.h"
#include "lora/Tuner/Meter.h"
#include "lora/Tuner/Search.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <ostream>
#include <string>

namespace lora::tuner {

struct MeasureOptions {
  SearchOptions search;
  /// Candidates of a problem that take part, best estimates first.
  size_t mostCandidates = 400;
  /// Replays while searching, and of the finalists.
  unsigned screenReplays = 3, finalReplays = 15;
  size_t finalists = 4;
  /// Seconds after which a launch counts as one that never ends: it is recorded as a failure, and
  /// the process ends with status 3, since nothing else stops a kernel. The next run goes on
  /// without that candidate.
  int64_t launchLimit = 60;
  /// Which part of the problems: number `shard` of `shards`.
  size_t shard = 0, shards = 1;
  /// Only problems whose key contains each of these.
  std::vector<std::string> only;
  /// Only problems without a finished search, whatever its candidates were. Otherwise a search
  /// counts if it had the same.
  bool untuned = false;
  /// If not empty, only candidates whose artefact begins with this.
  std::string artefact;
  /// Where the bundle is, for the commands that repeat a failure.
  std::string bundlePath;
  /// Seconds after which no further problem is begun; 0 for no limit.
  double budget = 0;
  uint64_t seed = 0;
  /// Where progress is written; null for none.
  std::ostream *progress = nullptr;
  /// If given, measuring ends soon after this becomes true.
  const std::atomic<bool> *interrupt = nullptr;
};

struct MeasureSummary {
  size_t problems = 0, alreadyDone = 0, done = 0, empty = 0;
  size_t measured = 0, wrong = 0, failed = 0;
  double seconds = 0;
  bool interrupted = false, outOfBudget = false;

  std::string text() const;
};

/// The parameters that the default configuration sets for a problem of a shipped kernel, if there
/// is one.
std::optional<Config> defaultParameters(const TuneProblem &problem);

/// The configuration that is used where nothing was tuned, if the kernel is one that ships with
/// the compiler and there is one for the problem.
std::optional<Config> defaultConfigFor(const KernelSpace &space, const TuneProblem &problem);

/// The kernels of a bundle that can serve a problem and are not useless for it, best estimate
/// first, at most `most` of them; the default configuration is always among them.
struct Candidates {
  std::vector<const BundleKernel *> kernels;
  std::vector<double> estimates;
  std::optional<size_t> byDefault;

  /// Removes those whose artefact does not begin with a text.
  void keepOnly(const std::string &artefact);

  /// Names the set, so that a finished search is not repeated.
  std::string hash(const MeasureOptions &options) const;
};
Candidates candidatesFor(const Bundle &bundle, const BundleProblem &problem, const GpuFacts &facts,
                         size_t most);

/// Measures the problems of the shard that the database has no finished search for, and keeps
/// every result as soon as it is there. Throws Error if the meter cannot run the bundle's kernels,
/// or the database cannot be written.
MeasureSummary measureBundle(const Bundle &bundle, Meter &meter, Database &database,
                             const MeasureOptions &options);

} // namespace lora::tuner
