//===- Mutator.h - Small changes to bytes -------------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include <random>
#include <string>
#include <vector>

namespace lora::fuzz {

/// Changes bytes by chance, the same way on every machine for the same seed.
class Mutator {
public:
  Mutator(unsigned seed, std::vector<std::string> pieces)
      : random(seed), pieces(std::move(pieces)) {}

  size_t below(size_t bound) { return bound == 0 ? 0 : random() % bound; }
  bool oneIn(size_t count) { return below(count) == 0; }

  /// One to three changes at or behind `first`: bits flipped, bytes removed, repeated or replaced,
  /// pieces inserted, the end cut off.
  std::string mutate(std::string bytes, size_t first = 0);

private:
  void change(std::string &bytes, size_t first);

  std::mt19937 random;
  std::vector<std::string> pieces;
};

} // namespace lora::fuzz
