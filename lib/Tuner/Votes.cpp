//===- Votes.cpp - Which configurations to compile ------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Votes.h"

#include <algorithm>
#include <random>

using namespace lora;
using namespace lora::tuner;

void Votes::add(const PrunedSpace &ranked, bool all) {
  std::vector<Vote> &votes = problems.emplace_back();
  for (size_t i = 0; i < ranked.configs.size(); ++i) {
    // By how much an estimate is worse than the best counts, not its rank: many may be as good.
    double worse = ranked.estimates[i] / ranked.estimates.front() - 1;
    if (!all && i >= 4 && worse > 0.5)
      break;
    auto weight = static_cast<float>(1 / (1 + 100 * worse * worse));
    votes.push_back({ranked.configs[i], weight});
    totals[ranked.configs[i]] += weight;
  }
}

std::vector<size_t> Votes::choose(size_t most, uint64_t seed) const {
  std::vector<size_t> rest, chosen;
  for (size_t i = 0; i < totals.size(); ++i)
    if (totals[i] > 0)
      rest.push_back(i);
  if (most == 0 || rest.size() <= most)
    return rest;
  // What a problem has been given makes its further votes count less.
  std::vector<float> given(problems.size(), 0.0F);
  while (chosen.size() < most - most / 4) {
    std::vector<float> scores(totals.size(), 0.0F);
    for (size_t i = 0; i < problems.size(); ++i)
      for (const Vote &vote : problems[i])
        scores[vote.config] += vote.weight / (1 + given[i]);
    auto best = std::max_element(rest.begin(), rest.end(),
                                 [&](size_t a, size_t b) { return scores[a] < scores[b]; });
    for (size_t i = 0; i < problems.size(); ++i)
      for (const Vote &vote : problems[i])
        if (vote.config == *best)
          given[i] += vote.weight;
    chosen.push_back(*best);
    rest.erase(best);
  }
  std::mt19937_64 generator(seed);
  while (chosen.size() < most) {
    auto drawn = rest.begin() + static_cast<int64_t>(generator() % rest.size());
    chosen.push_back(*drawn);
    rest.erase(drawn);
  }
  return chosen;
}
