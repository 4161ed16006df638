//===- Watchdog.h - Ends a process that waits for too long ----------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

namespace lora::tuner {

/// A kernel that never ends cannot be stopped but by ending the process that launched it. While a
/// scope of this is watched for longer than the limit, `expired` is called in another thread, which
/// is to record what was going on; then the process ends with status 3.
class Watchdog {
public:
  Watchdog(std::chrono::seconds limit, std::function<void()> expired);
  ~Watchdog();

  class Scope {
  public:
    explicit Scope(Watchdog &watchdog);
    ~Scope();

  private:
    Watchdog &watchdog;
  };

private:
  using Clock = std::chrono::steady_clock;

  void watch();

  std::chrono::seconds limit;
  std::function<void()> expired;
  std::mutex mutex;
  std::condition_variable changed;
  std::optional<Clock::time_point> deadline;
  bool ends = false;
  std::thread thread;
};

} // namespace lora::tuner
