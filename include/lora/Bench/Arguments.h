//===- Arguments.h - Arguments of a case on the device --------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "lora/Bench/Case.h"
#include "lora/Measure/ArgumentPool.h"
#include "lora/Measure/Pattern.h"
#include "lora/runtime.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace lora {

/// The scaling of every adapter.
constexpr float benchScaling = 0.5f;

/// The random values that all arguments of a run are made of.
struct BenchPatterns {
  BenchPatterns(DType dtype, uint64_t seed);

  /// Of x and y, of the weights, and of the s that expand gets.
  Pattern activations, weights, sums;
};

/// Sets of arguments of a case on the device, and the runtime's view of them.
///
/// All sets share one mapping, as the layers of a model do, and each has weights of its own. They
/// begin with the same values. The patterns and the runtime must outlive this.
class BenchArguments {
public:
  /// Throws Error if the device has too little memory, and what the runtime throws.
  BenchArguments(const BenchCase &one, const BenchPatterns &patterns, const PoolLimits &limits,
                 uint64_t seed, RuntimeContext &runtime, Stream &stream);

  const BenchCase &shape() const { return one; }
  const BenchPatterns &patterns() const { return values; }
  ArgumentPool &pool() { return memory; }
  size_t sets() const { return memory.sets(); }
  /// [tokens]: the adapter slot of each, or -1.
  const std::vector<int32_t> &tokenLora() const { return mappingOfTokens; }

  /// A launch on a set, with the s that expand gets or, if `chained`, the one that shrink writes.
  lora_launch launch(size_t set, bool programmatic, bool chained, Stream &stream);

  /// Sets s_out to NaN, and y to its initial values or, if it is overwritten, NaN.
  void poisonOutputs(size_t set, Stream &stream);

  /// Where the pattern of a buffer begins; slices count from 0.
  static size_t startOfX() { return 11; }
  static size_t startOfY() { return 1009; }
  static size_t startOfS() { return 77; }
  static size_t startOfA(int64_t slice) { return 5003 * static_cast<size_t>(slice + 1); }
  static size_t startOfB(int64_t slice) { return 70001 * static_cast<size_t>(slice + 1); }

  /// Names of buffers.
  static std::string nameOfA(int64_t slice) { return "a" + std::to_string(slice); }
  static std::string nameOfB(int64_t slice) { return "b" + std::to_string(slice); }

private:
  void fill(Stream &stream);
  void fillAll(const std::string &name, const Pattern &pattern, size_t start, Stream &stream);
  void addAdapters(RuntimeContext &runtime, Stream &stream);

  BenchCase one;
  const BenchPatterns &values;
  ArgumentPool memory;
  std::vector<int32_t> mappingOfTokens;
  TokenMapping mapping;
  std::vector<AdapterSlots> adapters;
};

} // namespace lora
