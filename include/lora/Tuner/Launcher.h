//===- Launcher.h - Numbers that a launcher gives its processes -----------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

namespace lora::tuner {

/// Which part of the work a process has.
struct Shard {
  size_t index = 0, count = 1;
  /// The GPU of the process on its machine, if the launcher says so.
  std::optional<int> device;
  /// Where it comes from: "--shard", or the variable that was read; empty for none.
  std::string source;

  /// "0/4".
  std::string text() const { return std::to_string(index) + "/" + std::to_string(count); }
};

/// "I/N" with I below N. Throws Error with the text for anything else.
Shard parseShard(const std::string &text);

/// From the environment that mpirun, srun or torchrun gives to each process, or 0/1 without one.
/// `variable` gives the value of one, or null. Throws Error with the variable if it is no number.
Shard shardOfLauncher(const std::function<const char *(const char *)> &variable);

} // namespace lora::tuner
