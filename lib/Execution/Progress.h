//===- Progress.h - How far a long run is ---------------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

namespace lora {

/// Prints a line on the standard error after 5 s, and then every 10 s, until it is destroyed.
class Progress {
public:
  /// `what` runs in `blocks` blocks.
  Progress(std::string what, uint64_t blocks);
  ~Progress();

  /// The blocks that are done.
  std::atomic<uint64_t> finished = 0;

private:
  void print();

  const std::string what;
  const uint64_t blocks;
  std::mutex mutex;
  std::condition_variable ends;
  bool isOver = false;
  std::thread printer;
};

} // namespace lora
