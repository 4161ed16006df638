//===- Timing.h - Times of repeated work ----------------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include <span>
#include <vector>

namespace lora {

/// Times of the same work, one for each repetition, summed up.
struct Timing {
  /// The median, and the first and third quartile, in the unit of the samples.
  double median = 0;
  double low = 0;
  double high = 0;

  /// Half of the range between the quartiles, as a fraction of the median.
  double spread() const { return median > 0 ? (high - low) / 2 / median : 0; }

  /// Quartiles are interpolated between the samples at (n + 1) / 4 and 3 (n + 1) / 4, within the
  /// range of the samples. Throws Error if there is none.
  static Timing of(std::span<const double> samples);
};

} // namespace lora
