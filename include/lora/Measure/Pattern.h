//===- Pattern.h - Random values in large device buffers ------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "lora/Runtime/Driver.h"
#include "lora/Support/DType.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lora {

/// Random values of which buffers of any size are made by repetition: neither takes the host long
/// to make nor to copy, and any element is known without the whole in host memory. The number of
/// values is prime, so that rows differ.
class Pattern {
public:
  /// Uniform in [-magnitude, magnitude), rounded to the type, which is F16, BF16 or F32. The same
  /// seed gives the same values everywhere.
  Pattern(DType type, float magnitude, uint64_t seed);

  DType type() const { return elementType; }
  /// Values before the pattern repeats.
  size_t size() const;

  /// Element `index` of a buffer that was filled from `start` on.
  double at(size_t start, size_t index) const;
  /// The bits of elements `first` to `first` + `count` of a buffer that was filled from `start` on.
  std::vector<std::byte> elements(size_t start, size_t first, size_t count) const;

  /// Fills a buffer with the pattern from element `start` on, and waits for it. Throws Error if the
  /// size of the buffer is not a multiple of the element's.
  void fill(DeviceBuffer &buffer, size_t start, Stream &stream) const;

private:
  DType elementType;
  /// The pattern, in the bits of its type.
  std::vector<std::byte> values;
};

} // namespace lora
