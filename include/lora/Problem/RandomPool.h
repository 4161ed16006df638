//===- RandomPool.h - Random values that problems share -------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "lora/Problem/HostBuffer.h"
#include "lora/Support/DType.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace lora {

/// Random values that many problems share, so that a large problem takes no time to make and, once
/// the pool has been copied to a device, none to copy there.
class RandomPool {
public:
  enum class Kind {
    /// Uniform in [-1, 1), as x and y.
    Activations,
    /// Uniform in [-0.05, 0.05), as A and B.
    Weights
  };

  /// So many values of either kind for each of the types.
  RandomPool(std::span<const DType> types, int64_t activations, int64_t weights, uint64_t seed);

  /// The largest magnitude of a kind.
  static float magnitude(Kind kind);

  /// `elements` values that follow each other, from a place that depends on the seed. They are not
  /// to be written. Throws Error if the pool has not so many.
  HostBuffer window(std::string name, Kind kind, DType type, int64_t elements, uint64_t seed);

  /// What windows are parts of.
  std::span<const HostBuffer> buffers() const { return memory; }

private:
  /// The types in the order of `memory`, in which activations precede weights.
  std::vector<DType> types;
  std::vector<HostBuffer> memory;
};

} // namespace lora
