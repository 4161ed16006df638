//===- FakeDriver.h - A CUDA driver that records calls ------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace lora::fake {

struct Launch {
  std::array<unsigned, 3> grid;
  unsigned threads, sharedBytes;
  void *stream;
  /// The name of the entry.
  std::string entry;
  std::array<unsigned, 3> cluster = {1, 1, 1};
  bool programmatic = false;
  /// The bits of the first arguments.
  std::vector<uint64_t> values;
};

/// The state of the fake driver, which the test reads and changes. "Device" memory is that of the
/// host, and copies are done at once.
struct Driver {
  /// Makes the call after this many more fail with `failure`; negative for none.
  std::atomic<int> callsUntilFailure = -1;
  std::atomic<int> failure = 999;
  std::atomic<int> calls = 0;
  std::atomic<bool> capturing = false;
  /// Whether copies seem to be on their way.
  std::atomic<bool> pending = false;
  std::atomic<int> version = 13000;
  std::atomic<int> capability = 90;
  std::atomic<int> maxSharedBytes = 227 << 10;
  std::atomic<int> initResult = 0;
  /// The number of 8-byte arguments that are recorded of a launch; negative records nothing.
  std::atomic<int> recordedArguments = 0;

  std::mutex mutex;
  std::vector<Launch> launches;
  std::map<std::string, int> callsOf;
  std::map<void *, size_t> memory, pinned;
  std::set<void *> modules, events;
  std::map<void *, std::map<int, int>> functionAttributes;
  std::atomic<int> retained = 0;

  bool isClean() {
    std::lock_guard lock(mutex);
    return memory.empty() && pinned.empty() && modules.empty() && events.empty() && retained == 0;
  }
};

} // namespace lora::fake

/// The only one.
extern "C" lora::fake::Driver *fakeDriver();
