//===- Search.h - Which configuration to measure next ---------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "lora/Dispatch/DefaultConfig.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lora::tuner {

struct SearchOptions {
  /// Measures every candidate, in their order.
  bool exhaustive = false;
  /// Configurations that are measured before the model chooses, and in each round after it.
  size_t initial = 10, batch = 6;
  /// At most this part of the candidates, but never fewer than `least`.
  double mostOfCandidates = 0.2;
  size_t least = 16;
  /// The search ends when no candidate is expected to be better by this part of the best time, or
  /// when `patience` rounds in a row have not been.
  double expectedGain = 0.005;
  int patience = 3;
  uint64_t seed = 0;
};

/// A search among the configurations of one problem, guided by a Gaussian process over the
/// logarithms of the parameters, whose prior mean is an estimate (Rasmussen and Williams, "Gaussian
/// Processes for Machine Learning", 2006, algorithm 2.1; expected improvement as in Jones, Schonlau
/// and Welch, "Efficient Global Optimization of Expensive Black-Box Functions", 1998).
///
/// The same candidates, seeds and times give the same search.
class Search {
public:
  /// `estimates` are microseconds, one for each candidate. `first` are measured first, whatever
  /// the estimates say.
  Search(const std::vector<Config> &candidates, const std::vector<double> &estimates,
         const std::vector<size_t> &first, const SearchOptions &options);

  /// The candidates to measure now; empty when the search has ended.
  std::vector<size_t> next();

  /// What came of one: microseconds, or nothing if it cannot be used.
  void report(size_t candidate, std::optional<double> microseconds);

  /// Why the search has ended.
  const std::string &stopReason() const { return reason; }

  size_t measured() const { return order.size(); }
  /// The fastest so far, or nothing.
  std::optional<size_t> best() const { return fastest; }

private:
  struct Posterior;

  std::vector<size_t> propose();
  double distance(size_t a, size_t b) const;

  SearchOptions options;
  std::vector<std::vector<double>> features;
  std::vector<double> priors;
  std::vector<size_t> pending;
  std::vector<bool> asked;
  /// In the order of their reports; the times of those that could not be used are nothing.
  std::vector<size_t> order;
  std::vector<std::optional<double>> times;
  std::optional<size_t> fastest;
  double bestAtRoundStart = 0;
  int idleRounds = 0;
  std::string reason;
};

} // namespace lora::tuner
