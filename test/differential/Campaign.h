//===- Campaign.h - Many random cases on all cores -------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "Minimise.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lora::differential {

struct CampaignOptions {
  uint64_t seed = 1;
  /// Cases number 0 to `cases` - 1 of the seed.
  uint64_t cases = 500;
  /// Names of the targets to choose from.
  std::vector<std::string> targets;
  /// No case starts later than this; 0 for no limit.
  double seconds = 0;
};

struct CampaignResult {
  uint64_t passed = 0;
  /// The case with the lowest number, of those that were run, that failed.
  std::optional<Failure> failure;
  uint64_t failedIndex = 0;
};

/// Runs cases until one fails. Prints a line on standard error now and then if it takes longer than
/// five seconds, and notes for runWatched which cases are running.
CampaignResult runCampaign(const CampaignOptions &options);

} // namespace lora::differential
