//===- Mapping.h - Which token uses which adapter -------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace lora {

/// The buffers of the vLLM V1 contract that describe a batch of tokens.
struct Mapping {
  /// [tokens]: the adapter slot of each token, or -1 for none.
  std::vector<int32_t> tokenLoraMapping;
  /// [tokens]: the tokens sorted by adapter slot, those without an adapter first. Tokens of one
  /// adapter keep their order.
  std::vector<int32_t> tokenIndicesSortedByLoraIds;
  /// [maxLoras + 1]: the adapter slots in use in ascending order, -1 included when a token has no
  /// adapter. The rest is -1.
  std::vector<int32_t> activeLoraIds;
  /// [maxLoras + 1]: the number of tokens of each entry of activeLoraIds. The rest is 0.
  std::vector<int32_t> numTokensPerLora;
  /// [maxLoras + 2]: where the tokens of each entry of activeLoraIds begin in
  /// tokenIndicesSortedByLoraIds. The rest is the number of tokens.
  std::vector<int32_t> loraTokenStartLoc;

  /// Builds the buffers for the adapter slot of each token. Throws Error with the position and the
  /// value if a slot is not in -1 to maxLoras - 1.
  static Mapping build(std::span<const int32_t> tokenLora, int32_t maxLoras);
};

/// A random slot below `adapters` for each of `tokens` tokens, except for a fraction without an
/// adapter (rounded to a number of tokens), which lie at random positions. The same seed gives the
/// same mapping on every machine. Throws Error if there are tokens but no adapters for them, or the
/// fraction is not in 0 to 1.
std::vector<int32_t> randomMapping(int64_t tokens, int32_t adapters, double fractionWithout,
                                   uint64_t seed);

/// The tokens of randomMapping in ascending order of their slot.
std::vector<int32_t> sortedMapping(int64_t tokens, int32_t adapters, double fractionWithout,
                                   uint64_t seed);

/// The slots in a text file, separated by white space. Throws Error with the file and the line if
/// it holds anything but integers. Whether they are valid slots is left to Mapping::build.
std::vector<int32_t> readMapping(const std::string &path);

} // namespace lora
