//===- CompilePhase.h - Candidates compiled to a bundle -------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "lora/Tuner/Bundle.h"
#include "lora/Tuner/CostModel.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace lora::tuner {

struct CompilePhaseOptions {
  std::string target = "sm_90a";
  /// At most so many kernels for each combination of a kernel, element types, rank and what
  /// problems bind; 0 for all that are worth it.
  size_t mostKernels = 150;
  size_t jobs = 1;
  /// For one kernel.
  std::chrono::seconds limit{60};
  /// Where compiled kernels are kept, by the hash of all that went into them.
  std::string cache;
  uint64_t seed = 0;
  /// The program that compiles; it is given the argument "compile-worker".
  std::string worker;
  std::ostream *progress = nullptr;
  const std::atomic<bool> *interrupt = nullptr;
};

/// Reads the parameters of a kernel: a name of those that ship with the compiler, or a file. Throws
/// Error if there is none or it does not parse.
KernelSpace readSpace(const std::string &kernel);

/// Chooses and compiles candidates for the problems. `problems` name kernels of `spaces`. Throws
/// Error if no candidate is left, or the cache cannot be written, or it was interrupted.
Bundle compileBundle(const std::vector<KernelSpace> &spaces,
                     const std::vector<TuneProblem> &problems, const CompilePhaseOptions &options);

/// Compiles what lines of the standard input ask for, until it ends.
int runCompileWorker();

} // namespace lora::tuner
