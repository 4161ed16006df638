//===- lora-differential.cpp - Compare the implementations of the kernels --===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Campaign.h"
#include "Check.h"
#include "CrashReport.h"
#include "Generator.h"
#include "lora/Support/Error.h"
#include "lora/Target/TargetFacts.h"

#include <CLI/CLI.hpp>

#include <iostream>

using namespace lora;
using namespace lora::differential;

/// How long to look for a smaller case.
static constexpr std::chrono::seconds kMinimiseLimit(60);

/// check, for a process that runs one case at a time.
static std::string checkNoted(const Case &test) {
  noteRunning(0, toText(test));
  return check(test);
}

static void printCase(const Case &test) {
  std::cout << "  lora-differential --case '" << toText(test) << "'\n";
}

/// Runs the case of `--case`; returns the exit status.
static int runCase(const std::string &text, bool smaller) {
  Case test = parseCase(text);
  if (std::string reason = whyInvalid(test); !reason.empty())
    throw Error("case: " + reason);
  std::string message = checkNoted(test);
  if (message.empty()) {
    std::cout << "1 passed, 0 failed\n";
    return 0;
  }
  std::cout << "failed: " << message << "\n";
  if (smaller) {
    Failure smallest = minimise({test, message}, checkNoted, kMinimiseLimit);
    std::cout << "smallest case found: " << smallest.message << "\n";
    printCase(smallest.test);
  }
  std::cout << "0 passed, 1 failed\n";
  return 1;
}

static int runCases(const CampaignOptions &options, bool smaller) {
  CampaignResult result = runCampaign(options);
  if (!result.failure) {
    std::cout << result.passed << " cases passed\n" << result.passed << " passed, 0 failed\n";
    return 0;
  }
  std::cout << "case " << result.failedIndex << " of seed " << options.seed
            << " failed: " << result.failure->message << "\n";
  printCase(result.failure->test);
  if (smaller) {
    std::cout << "looking for a smaller case, for at most " << kMinimiseLimit.count() << " s\n"
              << std::flush;
    Failure smallest = minimise(*result.failure, checkNoted, kMinimiseLimit);
    std::cout << "smallest case found: " << smallest.message << "\n";
    printCase(smallest.test);
  }
  std::cout << result.passed << " passed, 1 failed\n";
  return 1;
}

static int listCases(const CampaignOptions &options) {
  for (uint64_t index = 0; index < options.cases; ++index)
    std::cout << toText(randomCase(options.seed, index, options.targets)) << "\n";
  return 0;
}

int main(int argc, char **argv) {
  CampaignOptions options;
  std::string text;
  bool asFound = false, list = false;
  CLI::App app(
      "Compare interpreter, emulator and float64 reference of the kernels on random cases: "
      "shapes, mappings, strides, configurations, targets. For half of the cases, also "
      "compare the bits of two launches that must give the same.",
      "lora-differential");
  app.add_option("--cases", options.cases, "Cases to run")->capture_default_str();
  app.add_option("--seed", options.seed, "Seed of the cases")->capture_default_str();
  app.add_option("--arch", options.targets, "Targets to choose from; all if not given")
      ->delimiter(',');
  app.add_option("--time-limit", options.seconds,
                 "Seconds after which no further case starts; 0 for no limit")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("--case", text, "Run this case instead, as a failure printed it");
  app.add_flag("--as-found", asFound, "Do not look for a smaller case when one fails");
  app.add_flag("--list", list, "Print the cases instead of running them");
  CLI11_PARSE(app, argc, argv);
  auto body = [&] {
    try {
      if (options.targets.empty())
        for (const TargetFacts &target : allTargets())
          options.targets.emplace_back(target.name);
      for (const std::string &name : options.targets)
        findTarget(name);
      if (list)
        return listCases(options);
      return text.empty() ? runCases(options, !asFound) : runCase(text, !asFound);
    } catch (const Error &error) {
      std::cerr << "lora-differential: " << error.what() << "\n";
      return 1;
    }
  };
  return runWatched(body);
}
