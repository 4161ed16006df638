//===- gpu-accuracy.cpp - Errors of the compiled kernels on a GPU --------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bitwise.h"
#include "Cases.h"
#include "Measure.h"
#include "Report.h"
#include "lora/Support/Error.h"
#include "lora/Support/Files.h"

#include <CLI/CLI.hpp>

#include <chrono>
#include <iostream>
#include <optional>
#include <set>
#include <sstream>

using namespace lora;
using namespace lora::accuracy;

namespace {

using Clock = std::chrono::steady_clock;

struct Options {
  std::string kernels, markdown, filter;
  bool listKernels = false, quick = false;
  int device = 0;
  uint64_t seed = 1;
};

/// What is to run.
struct Plan {
  std::vector<Case> cases;
  std::vector<BitwiseCheck> bitwise;
};

/// Says now and then how far the run is.
class Progress {
public:
  explicit Progress(size_t total) : total(total) {}

  void step() {
    ++done;
    if (Clock::now() - last < std::chrono::seconds(10))
      return;
    last = Clock::now();
    std::cout << done << " of " << total << " after " << seconds() << " s" << std::endl;
  }

  int64_t seconds() const {
    return std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - begin).count();
  }

private:
  size_t total, done = 0;
  Clock::time_point begin = Clock::now(), last = begin;
};

} // namespace

static KernelKey keyOf(const Case &item) {
  LoraShape shape = item.shape.completed(item.op);
  return KernelKey::of(item.op, shape, defaultConfig(item.op, shape));
}

static std::string nameOf(const BitwiseCheck &check) { return check.base.name(); }

static Plan makePlan(const Options &options) {
  Plan plan{options.quick ? quickCases() : allCases(), bitwiseChecks(options.quick)};
  auto isFilteredOut = [&](const std::string &name) {
    return name.find(options.filter) == std::string::npos;
  };
  std::erase_if(plan.cases, [&](const Case &item) { return isFilteredOut(item.name()); });
  std::erase_if(plan.bitwise,
                [&](const BitwiseCheck &check) { return isFilteredOut(nameOf(check)); });
  if (plan.cases.empty() && plan.bitwise.empty())
    throw Error("--filter: no case has '" + options.filter + "' in its name");
  return plan;
}

static void listKernels(const Plan &plan) {
  std::set<KernelKey> keys;
  for (const Case &item : plan.cases)
    keys.insert(keyOf(item));
  for (const BitwiseCheck &check : plan.bitwise)
    for (const KernelKey &key : check.kernels())
      keys.insert(key);
  for (const KernelKey &key : keys)
    std::cout << key.line() << "\n";
}

/// Calls `action` and returns the message of the Error that it throws, or nothing.
template <typename Action> static std::string failureOf(Action action) {
  try {
    action();
    return "";
  } catch (const Error &error) {
    return error.what();
  }
}

/// Shows a failure at once, unless there have been many.
static void showFailure(const std::string &name, const std::string &failure, size_t number) {
  constexpr size_t most = 50;
  if (number <= most)
    std::cout << "FAILED " << name << ": " << failure << std::endl;
  if (number == most)
    std::cout << "Further failures are in the list at the end." << std::endl;
}

static Report run(const Plan &plan, const Options &options) {
  Device device(options.device);
  Report report;
  report.device = device.name() + ", compute capability " +
                  std::to_string(device.computeCapability() / 10) + "." +
                  std::to_string(device.computeCapability() % 10);
  std::cout << report.device << ": " << plan.cases.size() << " cases, " << plan.bitwise.size()
            << " bitwise checks" << std::endl;

  // The small problems of a quick run have buffers of their own, which end where the data do, so
  // that tools which look for accesses beyond them can find any.
  std::optional<RandomPool> pool;
  if (!options.quick) {
    PoolSize size = poolSize(plan.cases);
    constexpr DType types[] = {DType::F16, DType::BF16};
    pool.emplace(types, size.activations, 8 * size.weights, options.seed);
  }
  DeviceRunner runner(device, pool ? pool->buffers() : std::span<const HostBuffer>());
  KernelFolder kernels(device, options.kernels);
  Progress progress(plan.cases.size() + plan.bitwise.size());
  size_t failures = 0;
  for (const Case &item : plan.cases) {
    uint64_t seed = options.seed * 1000003 + report.cases.size();
    CaseResult result{item, {}};
    std::string failure = failureOf([&] {
      Kernel &kernel = kernels.get(keyOf(item));
      LoraProblem problem = item.problem(seed, pool ? &*pool : nullptr);
      result.outcome = measure(problem, kernel, runner, seed);
    });
    if (!failure.empty())
      result.outcome.failure = failure;
    if (!result.outcome.failure.empty())
      showFailure(item.name(), result.outcome.failure, ++failures);
    report.cases.push_back(std::move(result));
    progress.step();
  }
  for (const BitwiseCheck &check : plan.bitwise) {
    BitwiseResult result{nameOf(check), check.configs.size(), check.otherBatches.size(), ""};
    result.failure = failureOf([&] { runBitwiseCheck(check, kernels, runner, options.seed); });
    if (!result.failure.empty())
      showFailure("same bits of " + result.name, result.failure, ++failures);
    report.bitwise.push_back(std::move(result));
    progress.step();
  }
  std::cout << "Done with " << kernels.loaded() << " kernels in " << progress.seconds() << " s\n\n";
  return report;
}

static int runAndReport(const Options &options) {
  Plan plan = makePlan(options);
  if (options.listKernels) {
    listKernels(plan);
    return 0;
  }
  if (options.kernels.empty())
    throw Error("expected --kernels DIR or --list-kernels");
  Report report = run(plan, options);
  std::ostringstream text;
  report.print(text);
  if (!options.markdown.empty())
    writeFile(options.markdown, text.str());
  std::cout << text.str() << report.passed() << " passed, " << report.failed() << " failed\n";
  return report.failed() == 0 ? 0 : 1;
}

int main(int argc, char **argv) {
  Options options;
  CLI::App app("Run compiled shrink and expand kernels on a GPU and compare them with float64.",
               "gpu-accuracy");
  app.add_option("--kernels", options.kernels,
                 "Folder with the cubins and manifests, as scripts/gpu_kernels.py makes it");
  app.add_flag("--list-kernels", options.listKernels,
               "Print the kernels that are needed: a name and lora-compile's options on each line");
  app.add_flag("--quick", options.quick, "Only a few cases");
  app.add_option("--filter", options.filter, "Only the cases whose name contains this text");
  app.add_option("--markdown", options.markdown, "File that the tables are written to");
  app.add_option("--device", options.device, "Number of the GPU")->capture_default_str();
  app.add_option("--seed", options.seed, "Decides the random data")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    return runAndReport(options);
  } catch (const Error &error) {
    std::cerr << "gpu-accuracy: " << error.what() << "\n";
    return 1;
  }
}
