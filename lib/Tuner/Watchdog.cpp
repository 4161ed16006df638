//===- Watchdog.cpp - Ends a process that waits for too long --------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Watchdog.h"

#include <unistd.h>

using namespace lora::tuner;

Watchdog::Watchdog(std::chrono::seconds limit, std::function<void()> expired)
    : limit(limit), expired(std::move(expired)), thread([this] { watch(); }) {}

Watchdog::~Watchdog() {
  {
    std::lock_guard lock(mutex);
    ends = true;
  }
  changed.notify_all();
  thread.join();
}

void Watchdog::watch() {
  constexpr int status = 3;
  std::unique_lock lock(mutex);
  while (!ends) {
    if (!deadline)
      changed.wait(lock);
    else
      changed.wait_until(lock, *deadline);
    if (!ends && deadline && Clock::now() >= *deadline) {
      expired();
      _exit(status);
    }
  }
}

Watchdog::Scope::Scope(Watchdog &watchdog) : watchdog(watchdog) {
  {
    std::lock_guard lock(watchdog.mutex);
    watchdog.deadline = Clock::now() + watchdog.limit;
  }
  watchdog.changed.notify_all();
}

Watchdog::Scope::~Scope() {
  std::lock_guard lock(watchdog.mutex);
  watchdog.deadline.reset();
}
