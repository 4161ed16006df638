//===- WorkerPool.h - Work in child processes that may be killed ----------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace lora::tuner {

/// Runs jobs in child processes that live on from job to job. A child reads a line for each job
/// from its standard input and answers with a line on its standard output. One that takes too long
/// or dies costs only the job that it had; it is replaced.
struct WorkerPool {
  /// The program and its arguments.
  std::vector<std::string> command;
  size_t workers = 1;
  /// Of one job.
  std::chrono::seconds limit{60};
  /// If given, all children are killed soon after this becomes true.
  const std::atomic<bool> *interrupt = nullptr;

  struct Answer {
    /// The line of the child, or nothing if there is a failure.
    std::string line;
    /// "it took longer than 60 s", "the process died of signal 11", or nothing.
    std::string failure;
  };

  /// Calls `done` in this thread with the number and the answer of each job, in any order. Returns
  /// whether all were done, that is, whether there was no interrupt. Throws Error if a child cannot
  /// be started.
  bool run(const std::vector<std::string> &jobs,
           const std::function<void(size_t, const Answer &)> &done) const;
};

} // namespace lora::tuner
