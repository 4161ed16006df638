//===- Random.h - Reproducible pseudo-random numbers ----------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include <cstdint>

namespace lora {

/// The number at `index` of the sequence of a seed, as in SplitMix64 (Steele, Lea and Flood, "Fast
/// splittable pseudorandom number generators", 2014). Any part of a sequence can be computed alone,
/// and it is the same with every standard library.
constexpr uint64_t randomBits(uint64_t seed, uint64_t index) {
  uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// A number in 0 to `bound` - 1, for a bound below 2^32.
constexpr uint64_t randomBelow(uint64_t seed, uint64_t index, uint64_t bound) {
  return ((randomBits(seed, index) >> 32) * bound) >> 32;
}

/// A number in -1 to below 1, a multiple of 2^-23.
constexpr float randomUniform(uint64_t seed, uint64_t index) {
  return static_cast<float>(static_cast<int64_t>(randomBits(seed, index) >> 40) - (1 << 23)) *
         0x1p-23f;
}

} // namespace lora
