//===- Check.h - Whether kernels compute what they should -----------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "lora/Bench/Arguments.h"
#include "lora/Measure/GraphTimer.h"
#include "lora/Problem/Reference.h"

#include <memory>
#include <string>
#include <vector>

namespace lora {

class SampleReference;

/// What a check found.
struct CheckResult {
  /// ||out - ref|| / ||ref|| over all rows that were compared.
  double error = 0;
  /// What is wrong; empty if the results are right.
  std::string problem;
};

/// Checks what kernels make of the first set of arguments, on poisoned outputs, against float64 on
/// the host.
///
/// The error is taken over all tokens with an adapter or, of large cases, over some that are spread
/// evenly over all adapters; each must also be right by itself, relative to its own norm or that of
/// the mean row. All other outputs must be finite where a kernel must write, and untouched where it
/// must not: of outputs beyond 256 MiB in blocks of rows that are spread evenly.
class BenchCheck {
public:
  /// Both must outlive this.
  BenchCheck(BenchArguments &arguments, Stream &stream);
  ~BenchCheck();

  /// Runs the call on poisoned outputs, and waits for it.
  CheckResult check(BenchOp op, const DeviceCall &call);

  /// The largest error that counts as right.
  static double limit(DType dtype) { return dtype == DType::F16 ? 2e-3 : 1e-2; }

private:
  /// Tokens [begin, end).
  struct Range {
    int64_t begin = 0, end = 0;
  };
  /// Consecutive rows of an output, copied to the host.
  struct Rows {
    Range tokens;
    std::vector<std::byte> bytes;
  };

  std::vector<Rows> download(const std::string &name, int64_t firstRow, int64_t rowBytes);
  std::vector<ErrorNorms> normsOf(BenchOp op, int64_t slice, int64_t firstColumn,
                                  const std::vector<Rows> &rows);
  std::string flawOfSums(const std::vector<Rows> &rows) const;
  std::string flawOfOutput(const std::vector<Rows> &rows) const;

  BenchArguments &arguments;
  const BenchCase &one;
  Stream &stream;
  std::vector<Range> ranges;
  std::unique_ptr<SampleReference> reference;
};

} // namespace lora
