//===- Search.cpp - Which configuration to measure next -------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Tuner/Search.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

using namespace lora;
using namespace lora::tuner;

/// Variance of the logarithm of a time from a few replays: about 2 %.
static constexpr double kNoise = 4e-4;

namespace {

/// The lower triangle of a symmetric matrix, factored in place.
class Cholesky {
public:
  explicit Cholesky(size_t size) : size(size), values(size * size, 0.0) {}

  double &at(size_t row, size_t column) { return values[row * size + column]; }
  double at(size_t row, size_t column) const { return values[row * size + column]; }

  void factor() {
    for (size_t i = 0; i < size; ++i)
      for (size_t j = 0; j <= i; ++j) {
        double sum = at(i, j);
        for (size_t k = 0; k < j; ++k)
          sum -= at(i, k) * at(j, k);
        at(i, j) = i == j ? std::sqrt(std::max(sum, 1e-12)) : sum / at(j, j);
      }
  }

  /// Solves L x = b in place.
  void solveLower(std::vector<double> &b) const {
    for (size_t i = 0; i < size; ++i) {
      for (size_t k = 0; k < i; ++k)
        b[i] -= at(i, k) * b[k];
      b[i] /= at(i, i);
    }
  }

  /// Solves L^T x = b in place.
  void solveUpper(std::vector<double> &b) const {
    for (size_t i = size; i-- > 0;) {
      for (size_t k = i + 1; k < size; ++k)
        b[i] -= at(k, i) * b[k];
      b[i] /= at(i, i);
    }
  }

  double logDeterminantHalf() const {
    double sum = 0;
    for (size_t i = 0; i < size; ++i)
      sum += std::log(at(i, i));
    return sum;
  }

private:
  size_t size;
  std::vector<double> values;
};

} // namespace

/// The model of what was measured, for one length scale.
struct Search::Posterior {
  double length, variance, mean;
  std::vector<size_t> known;
  Cholesky factor;
  std::vector<double> weights;
  double likelihood = 0;

  double covariance(double squaredDistance) const {
    return variance * std::exp(-squaredDistance / (2 * length * length));
  }

  Posterior(const Search &search, std::vector<size_t> indices, const std::vector<double> &values,
            double length)
      : length(length), known(std::move(indices)), factor(known.size()) {
    size_t count = known.size();
    mean = std::accumulate(values.begin(), values.end(), 0.0) / double(count);
    variance = 0.01;
    for (double value : values)
      variance += (value - mean) * (value - mean) / double(count);
    for (size_t i = 0; i < count; ++i)
      for (size_t j = 0; j <= i; ++j)
        factor.at(i, j) = covariance(search.distance(known[i], known[j])) + (i == j ? kNoise : 0.0);
    factor.factor();
    weights.resize(count);
    for (size_t i = 0; i < count; ++i)
      weights[i] = values[i] - mean;
    factor.solveLower(weights);
    for (double weight : weights)
      likelihood -= weight * weight / 2;
    likelihood -= factor.logDeterminantHalf();
    factor.solveUpper(weights);
  }

  /// Mean and standard deviation of the logarithm of time over estimate.
  std::pair<double, double> predict(const Search &search, size_t candidate) const {
    std::vector<double> row(known.size());
    double value = mean;
    for (size_t i = 0; i < known.size(); ++i) {
      row[i] = covariance(search.distance(candidate, known[i]));
      value += row[i] * weights[i];
    }
    factor.solveLower(row);
    double rest = variance;
    for (double part : row)
      rest -= part * part;
    return {value, std::sqrt(std::max(rest, 1e-9))};
  }
};

Search::Search(const std::vector<Config> &candidates, const std::vector<double> &estimates,
               const std::vector<size_t> &first, const SearchOptions &options)
    : options(options), asked(candidates.size(), false), times(candidates.size()) {
  for (const Config &config : candidates) {
    std::vector<double> &feature = features.emplace_back();
    for (const auto &[name, value] : config)
      feature.push_back(std::log2(double(std::max<int64_t>(value, 0)) + (value > 0 ? 0 : 0.5)));
  }
  for (double estimate : estimates)
    priors.push_back(std::log(std::max(estimate, 1e-3)));
  auto add = [&](size_t candidate) {
    if (candidate < asked.size() && !asked[candidate]) {
      asked[candidate] = true;
      pending.push_back(candidate);
    }
  };
  if (options.exhaustive) {
    for (size_t i = 0; i < candidates.size(); ++i)
      add(i);
    return;
  }
  for (size_t candidate : first)
    add(candidate);
  // Half of the others by their estimates, half anywhere, so that a wrong model is noticed.
  std::vector<size_t> byEstimate(candidates.size());
  std::iota(byEstimate.begin(), byEstimate.end(), size_t(0));
  std::stable_sort(byEstimate.begin(), byEstimate.end(),
                   [&](size_t a, size_t b) { return priors[a] < priors[b]; });
  std::mt19937_64 generator(options.seed);
  size_t wanted = std::max(options.initial, pending.size() + options.initial / 2);
  for (size_t i = 0; i < byEstimate.size() && pending.size() < wanted; ++i)
    add(i % 2 == 0 ? byEstimate[i / 2] : byEstimate[generator() % byEstimate.size()]);
}

double Search::distance(size_t a, size_t b) const {
  double sum = 0;
  for (size_t i = 0; i < features[a].size() && i < features[b].size(); ++i)
    sum += (features[a][i] - features[b][i]) * (features[a][i] - features[b][i]);
  return sum;
}

void Search::report(size_t candidate, std::optional<double> microseconds) {
  order.push_back(candidate);
  times[candidate] = microseconds;
  if (microseconds && (!fastest || *microseconds < *times[*fastest]))
    fastest = candidate;
}

/// The expected improvement over `best` of a logarithm with this mean and standard deviation, as a
/// part of the best time.
static double expectedImprovement(double mean, double deviation, double best) {
  double z = (best - mean) / deviation;
  double density = std::exp(-z * z / 2) / std::sqrt(2 * M_PI);
  double probability = std::erfc(-z / std::sqrt(2.0)) / 2;
  return deviation * (z * probability + density);
}

std::vector<size_t> Search::propose() {
  std::vector<size_t> known;
  std::vector<double> values;
  for (size_t candidate : order)
    if (times[candidate]) {
      known.push_back(candidate);
      values.push_back(std::log(*times[candidate]) - priors[candidate]);
    }
  std::optional<Posterior> best;
  for (double length : {1.0, 2.0, 4.0}) {
    Posterior posterior(*this, known, values, length);
    if (!best || posterior.likelihood > best->likelihood)
      best.emplace(std::move(posterior));
  }
  double target = std::log(*times[*fastest]);
  std::vector<std::pair<double, size_t>> gains;
  for (size_t i = 0; i < asked.size(); ++i) {
    if (asked[i])
      continue;
    auto [mean, deviation] = best->predict(*this, i);
    gains.emplace_back(-expectedImprovement(mean + priors[i], deviation, target), i);
  }
  std::sort(gains.begin(), gains.end());
  if (gains.empty()) {
    reason = "every candidate was measured";
    return {};
  }
  if (order.size() >= options.least && -gains.front().first < options.expectedGain) {
    reason = "no candidate is expected to be better";
    return {};
  }
  std::vector<size_t> chosen;
  for (auto [gain, candidate] : gains) {
    if (chosen.size() == options.batch)
      break;
    chosen.push_back(candidate);
  }
  return chosen;
}

std::vector<size_t> Search::next() {
  if (!pending.empty()) {
    std::vector<size_t> batch;
    batch.swap(pending);
    if (fastest)
      bestAtRoundStart = *times[*fastest];
    return batch;
  }
  if (options.exhaustive || order.size() >= asked.size()) {
    reason = "every candidate was measured";
    return {};
  }
  if (!fastest) {
    // Nothing could be used so far: go on in the order of the estimates.
    for (size_t i = 0; i < asked.size() && pending.size() < options.batch; ++i)
      if (!asked[i]) {
        asked[i] = true;
        pending.push_back(i);
      }
    return next();
  }
  double now = *times[*fastest];
  bool improved = bestAtRoundStart == 0 || now < bestAtRoundStart * (1 - options.expectedGain);
  idleRounds = improved ? 0 : idleRounds + 1;
  bestAtRoundStart = now;
  size_t most =
      std::max(options.least, static_cast<size_t>(options.mostOfCandidates * double(asked.size())));
  if (order.size() >= options.least && idleRounds >= options.patience)
    reason = std::to_string(options.patience) + " rounds brought nothing better";
  else if (order.size() >= most)
    reason = "the limit of measurements is reached";
  if (!reason.empty())
    return {};
  std::vector<size_t> chosen = propose();
  chosen.resize(std::min(chosen.size(), most - order.size()));
  for (size_t candidate : chosen)
    asked[candidate] = true;
  return chosen;
}
