//===- Case.h - One comparison of the implementations of a kernel ----------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "lora/Dispatch/DefaultConfig.h"
#include "lora/Problem/LoraProblem.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lora::differential {

/// The kernels that ship with the compiler.
enum class Kernel { Shrink, Expand, ShrinkExpand };

/// "shrink", "expand" or "shrink_expand".
constexpr const char *kernelName(Kernel kernel) {
  return kernel == Kernel::Shrink   ? "shrink"
         : kernel == Kernel::Expand ? "expand"
                                    : "shrink_expand";
}

/// What a caller may choose for a launch. None of it may change the bits of the result.
struct Launch {
  Config config;
  std::string target = "sm_90a";
  /// Seed of the order of programs, blocks and threads.
  uint64_t order = 0;
  /// By how many elements each stride exceeds the least that it can be.
  int64_t xGap = 0, aGap = 0, bGap = 0, yGap = 0, sGap = 0, sSliceGap = 0;
  /// Columns of y before the first slice and behind the last.
  int32_t yHead = 0, yTail = 0;

  bool operator==(const Launch &) const = default;
};

/// A second launch, in which the tokens of the first one meet others.
struct Repeat {
  Launch launch;
  /// The adapters of the tokens that join.
  std::vector<int32_t> extra;
  /// Runs shrink and expand, as the runtime would choose, in place of shrink_expand.
  bool separate = false;
  /// Seed of the places that all tokens get; 0 leaves them where they are, the others behind them.
  uint64_t shuffle = 0;

  bool operator==(const Repeat &) const = default;
};

/// A problem and how to launch it.
struct Case {
  Kernel kernel = Kernel::Shrink;
  DType xType = DType::F16, wType = DType::F16;
  int64_t hidden = 64;
  int32_t maxRank = 16;
  /// The rank of each adapter; 0 is an empty slot.
  std::vector<int32_t> ranks = {16};
  /// The columns of each slice; only their number matters to shrink.
  std::vector<int32_t> widths = {64};
  bool addInputs = true;
  /// The adapter of each token, or -1.
  std::vector<int32_t> mapping = {0};
  /// Seed of the data.
  uint64_t data = 0;
  Launch launch;
  std::optional<Repeat> repeat;

  bool operator==(const Case &) const = default;
};

/// "op=shrink hidden=64 ...": everything that is not at its default.
std::string toText(const Case &test);

/// The inverse of toText; parameters of the kernel that are not named get their defaults. Throws
/// Error with the key and what was expected.
Case parseCase(std::string_view text);

/// The shape of a launch of the case over `tokens` tokens, with all defaults replaced.
LoraShape shapeOf(const Case &test, const Launch &launch, size_t tokens);

/// The adapters of all tokens of the second launch.
std::vector<int32_t> repeatedMapping(const Case &test);

/// The place of each token of the first launch in the second one.
std::vector<size_t> repeatedPlaces(const Case &test);

/// Why the case cannot be run, e.g. because a configuration breaks a condition of its kernel; empty
/// if it can.
std::string whyInvalid(const Case &test);

/// The largest alignments that a launch may promise, by parameter.
Config mostAlignments(Kernel kernel, const LoraShape &shape);

/// Lowers the alignments that a launch promises to what the case keeps.
void lowerAlignments(const Case &test, Launch &launch, size_t tokens);

/// An estimate of the seconds that a launch takes to emulate and to interpret.
double estimatedSeconds(const Case &test, const Launch &launch,
                        const std::vector<int32_t> &mapping);

} // namespace lora::differential
