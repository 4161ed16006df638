//===- Workload.h - The data of one launch of a case -----------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "Case.h"
#include "lora/Execution/HostBackend.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace lora::differential {

/// [slices][tokens][columns].
using Rows = std::vector<std::vector<std::vector<double>>>;

/// The inputs of a kernel, its output and its reference. A shrink_expand has the x and A of a
/// shrink and the B and y of an expand.
class Workload {
public:
  /// `mapping` has the adapter of each token of the launch.
  Workload(const Case &test, const Launch &launch, const std::vector<int32_t> &mapping);

  size_t tokens() const { return count; }
  int32_t slices() { return last().shape().slices(); }

  /// The arguments of a kernel with the given BLOCK_M, but for addresses where it is made of two
  /// problems.
  Arguments arguments(int64_t blockM);

  /// Runs the kernel. Throws Error if it does something that is undefined.
  void run(HostBackend backend, const Launch &launch);

  /// Instead of shrink_expand, the two kernels one after the other.
  void runSeparately(const Launch &launch);

  /// The bytes of the output that belong to a slice and a token: [maxRank] of s or [width of the
  /// slice] of y.
  std::span<std::byte> outputRow(int32_t slice, size_t token);
  std::vector<double> outputValues(int32_t slice, size_t token);
  /// The values of all rows.
  Rows output();

  /// What the rows should be, in float64. To be called before the first run.
  Rows reference();

  /// Gives token `place` of another workload of the case the inputs of a token of this one. Neither
  /// has run yet.
  void copyToken(size_t token, Workload &to, size_t place);

  /// Sets the output to what it was before the first run.
  void resetOutput() { last().resetOutput(); }

  /// Throws Error if something was written that must not be.
  void checkUntouched() { last().checkUntouched(); }

private:
  /// The problem that has the output.
  LoraProblem &last() { return expand ? *expand : *shrink; }
  std::vector<double> referenceOf(int32_t slice, std::span<const int64_t> tokens);
  void runFused(HostBackend backend, const Launch &launch);

  const Case &test;
  size_t count;
  std::optional<LoraProblem> shrink, expand;
};

} // namespace lora::differential
