//===- SearchTest.cpp - Tests of the search -------------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Tuner/Search.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace lora;
using namespace lora::tuner;

namespace {

/// Configurations with a known time each, and estimates that are wrong by up to a factor of two.
struct Landscape {
  std::vector<Config> configs;
  std::vector<double> estimates, times;

  Landscape() {
    for (int64_t m : {16, 32, 64, 128})
      for (int64_t k : {32, 64, 128})
        for (int64_t split : {1, 2, 4, 8, 16})
          for (int64_t warps : {1, 2, 4, 8}) {
            configs.push_back({{"M", m}, {"K", k}, {"SPLIT", split}, {"WARPS", warps}});
            double log = 0.3 * std::abs(std::log2(double(m)) - 5) +
                         0.2 * std::abs(std::log2(double(k)) - 7) +
                         0.25 * std::abs(std::log2(double(split)) - 2) +
                         0.1 * std::abs(std::log2(double(warps * split)) - 4);
            times.push_back(3 * std::exp(log));
            estimates.push_back(4 * std::exp(0.5 * std::abs(std::log2(double(m)) - 4)));
          }
  }

  double best() const { return *std::min_element(times.begin(), times.end()); }

  /// The best time that a search finds.
  double run(Search &search) const {
    double found = 1e300;
    for (std::vector<size_t> batch; !(batch = search.next()).empty();)
      for (size_t candidate : batch) {
        search.report(candidate, times[candidate]);
        found = std::min(found, times[candidate]);
      }
    return found;
  }
};

TEST(Search, FindsTheBestWithFewMeasurements) {
  Landscape landscape;
  for (uint64_t seed = 0; seed < 10; ++seed) {
    SearchOptions options;
    options.seed = seed;
    Search search(landscape.configs, landscape.estimates, {}, options);
    EXPECT_LE(landscape.run(search), 1.03 * landscape.best()) << "seed " << seed;
    EXPECT_LE(search.measured(), landscape.configs.size() / 5) << "seed " << seed;
    EXPECT_NE(search.stopReason(), "");
  }
}

TEST(Search, IsAFunctionOfItsSeed) {
  Landscape landscape;
  SearchOptions options;
  std::vector<std::vector<size_t>> first, second;
  for (auto *trace : {&first, &second}) {
    Search search(landscape.configs, landscape.estimates, {3}, options);
    for (std::vector<size_t> batch; !(batch = search.next()).empty(); trace->push_back(batch))
      for (size_t candidate : batch)
        search.report(candidate, landscape.times[candidate]);
  }
  EXPECT_EQ(first, second);
  EXPECT_EQ(first.front().front(), 3u);
}

TEST(Search, ExhaustiveMeasuresAll) {
  Landscape landscape;
  SearchOptions options;
  options.exhaustive = true;
  Search search(landscape.configs, landscape.estimates, {}, options);
  EXPECT_EQ(landscape.run(search), landscape.best());
  EXPECT_EQ(search.measured(), landscape.configs.size());
  EXPECT_EQ(search.stopReason(), "every candidate was measured");
}

TEST(Search, FailuresDoNotEndIt) {
  Landscape landscape;
  Search search(landscape.configs, landscape.estimates, {}, {});
  size_t count = 0;
  for (std::vector<size_t> batch; !(batch = search.next()).empty();)
    for (size_t candidate : batch)
      // The first thirty cannot be used.
      search.report(candidate,
                    count++ < 30 ? std::nullopt : std::optional(landscape.times[candidate]));
  ASSERT_TRUE(search.best());
}

TEST(Search, NoCandidates) {
  Search search({}, {}, {}, {});
  EXPECT_TRUE(search.next().empty());
  EXPECT_EQ(search.stopReason(), "every candidate was measured");
}

} // namespace
