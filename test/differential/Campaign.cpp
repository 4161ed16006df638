//===- Campaign.cpp - Many random cases on all cores -----------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Campaign.h"

#include "Check.h"
#include "CrashReport.h"
#include "Generator.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

using namespace lora;
using namespace lora::differential;

using Clock = std::chrono::steady_clock;

namespace {

class Campaign {
public:
  explicit Campaign(const CampaignOptions &options) : options(options) {}

  CampaignResult run();

private:
  void work(unsigned worker);
  void reportProgress();
  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin).count(); }

  const CampaignOptions &options;
  Clock::time_point begin = Clock::now();
  std::atomic<uint64_t> next = 0;
  std::mutex mutex;
  std::condition_variable finished;
  bool isOver = false;
  CampaignResult result;
};

} // namespace

void Campaign::work(unsigned worker) {
  for (uint64_t index = next++; index < options.cases; index = next++) {
    if (options.seconds > 0 && seconds() > options.seconds)
      return;
    Case test = randomCase(options.seed, index, options.targets);
    noteRunning(worker, toText(test));
    std::string message = check(test);
    noteRunning(worker, "");
    std::lock_guard lock(mutex);
    if (message.empty()) {
      ++result.passed;
      continue;
    }
    next = options.cases;
    if (!result.failure || index < result.failedIndex) {
      result.failure = Failure{test, message};
      result.failedIndex = index;
    }
  }
}

void Campaign::reportProgress() {
  std::unique_lock lock(mutex);
  for (auto wait = std::chrono::seconds(5); !finished.wait_for(lock, wait, [&] { return isOver; });
       wait = std::chrono::seconds(10))
    std::fprintf(stderr, "lora-differential: %llu of %llu cases passed after %.0f s\n",
                 static_cast<unsigned long long>(result.passed),
                 static_cast<unsigned long long>(options.cases), seconds());
}

CampaignResult Campaign::run() {
  unsigned cores = std::clamp(std::thread::hardware_concurrency(), 1u, kMostWorkers);
  std::thread progress([&] { reportProgress(); });
  {
    std::vector<std::jthread> workers;
    for (unsigned worker = 0; worker < cores; ++worker)
      workers.emplace_back([this, worker] { work(worker); });
  }
  {
    std::lock_guard lock(mutex);
    isOver = true;
  }
  finished.notify_one();
  progress.join();
  return result;
}

CampaignResult lora::differential::runCampaign(const CampaignOptions &options) {
  return Campaign(options).run();
}
