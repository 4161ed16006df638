//===- Random.h - Choices that depend on a seed alone ----------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

namespace lora::differential {

/// SplitMix64 (Steele, Lea and Flood, 2014): the same choices on every machine.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}

  uint64_t bits() {
    state += 0x9e3779b97f4a7c15u;
    uint64_t z = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  /// A number in `low` to `high`.
  int64_t between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(bits() % static_cast<uint64_t>(high - low + 1));
  }

  bool chance(int percent) { return between(0, 99) < percent; }

  template <typename T> T pick(std::initializer_list<T> choices) {
    return choices.begin()[between(0, static_cast<int64_t>(choices.size()) - 1)];
  }
  template <typename T> const T &pick(const std::vector<T> &choices) {
    return choices[static_cast<size_t>(between(0, static_cast<int64_t>(choices.size()) - 1))];
  }

  template <typename T> void shuffle(std::vector<T> &values) {
    for (size_t i = values.size(); i > 1; --i)
      std::swap(values[i - 1],
                values[static_cast<size_t>(between(0, static_cast<int64_t>(i) - 1))]);
  }

private:
  uint64_t state;
};

} // namespace lora::differential
