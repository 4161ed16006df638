//===- CrashReport.h - Which case brought the process down -----------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include <functional>
#include <string>

namespace lora::differential {

/// Workers are numbered below this.
inline constexpr unsigned kMostWorkers = 64;

/// Runs `body` in a child process and returns what it returned. If a signal ends the child, prints
/// the cases that its workers were running on standard error and returns 1. The process must not
/// have threads yet. Throws Error if it cannot start a child.
int runWatched(const std::function<int()> &body);

/// Notes what a worker runs; an empty text says that it does not run anything.
void noteRunning(unsigned worker, const std::string &test);

} // namespace lora::differential
