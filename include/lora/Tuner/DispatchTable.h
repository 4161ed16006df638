//===- DispatchTable.h - Rules from measurements --------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "lora/Pack/Pack.h"
#include "lora/Tuner/Database.h"
#include "lora/Tuner/Problem.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lora::tuner {

struct Bundle;

/// The times of one problem, of kernels whose result was right.
struct TunedPoint {
  TuneProblem problem;
  /// Microseconds of each kernel, an index in TunedTimes::kernels: of the final round where there
  /// is one, else of the screening.
  std::map<size_t, double> times;
  /// The kernel that is used where nothing was tuned, if it was measured.
  std::optional<size_t> byDefault;
  std::optional<size_t> best() const;
};

/// What a database knows, in a fixed order.
struct TunedTimes {
  /// One for each configuration. Of versions of it, which other sources or compilers made, the
  /// latest stands for all, with the last time of any.
  std::vector<KernelRecord> kernels;
  std::vector<TunedPoint> points;

  /// Throws Error if the database has no times.
  static TunedTimes read(Database &database);

  /// Takes what this version uses where nothing was tuned for the defaults, in place of what the
  /// version that measured used, for the points where it was measured.
  void takeCurrentDefaults();
};

struct DispatchOptions {
  /// A kernel may be this much slower than the best at a point, if that saves kernels and rules.
  double tolerance = 0.03;
  /// Uses shrink and expand after each other where these were faster than a single launch for both.
  bool comparePair = true;
};

/// When to use a kernel.
struct TunedRule {
  /// An index in TunedTimes::kernels.
  size_t kernel = 0;
  PackRange tokens, hidden, rank, adapters, slices;
  /// Shrink and expand after each other are faster than any kernel that does both; `kernel` is one
  /// of these, and only says for which types.
  bool twoLaunches = false;
};

/// Rules for all operations, types and ranks, in the order in which they are tried. Between tuned
/// points a bound lies at the geometric mean; beyond the last one the rule goes on.
struct DispatchTable {
  std::vector<TunedRule> rules;
  /// How much slower the chosen kernels are than the best of each point, in the geometric mean and
  /// at worst. The mean takes a kernel that was not measured at a point to be 30 % slower there;
  /// the worst is of those that were.
  double meanLoss = 0, worstLoss = 0;
  size_t points = 0;
  /// Points whose kernel was not measured there.
  size_t unknown = 0;

  static DispatchTable build(const TunedTimes &times, const DispatchOptions &options);
};

/// The list that lora-compile --pack builds a pack from. `types` are those that each kernel is
/// built for besides the ones it was measured with, e.g. "bf16/bf16". The same times give the same
/// text.
std::string packList(const TunedTimes &times, const DispatchTable &table,
                     const std::vector<std::string> &types);

/// The bytes of a pack with the kernels of the rules, whose code is in the bundle that was
/// measured. Throws Error, naming the kernel, if one is not there. The same input gives the same
/// bytes.
std::string packFromBundle(const TunedTimes &times, const DispatchTable &table,
                           const Bundle &bundle);

} // namespace lora::tuner
