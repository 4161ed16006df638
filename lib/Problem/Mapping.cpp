//===- Mapping.cpp - Which token uses which adapter -----------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Problem/Mapping.h"

#include "Random.h"
#include "lora/Support/Error.h"
#include "lora/Support/RowBlocks.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <utility>

using namespace lora;

namespace {

int32_t parseSlot(std::string_view word, const std::string &path, int64_t line) {
  int32_t value = 0;
  auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (status != std::errc() || end != word.data() + word.size())
    throw Error(path + ":" + std::to_string(line) + ": expected an adapter slot or -1, found '" +
                std::string(word) + "'");
  return value;
}

} // namespace

Mapping Mapping::build(std::span<const int32_t> tokenLora, int32_t maxLoras) {
  if (maxLoras < 1)
    throw Error("mapping for " + std::to_string(maxLoras) + " adapter slots: expected at least 1");
  if (tokenLora.size() > size_t(std::numeric_limits<int32_t>::max()))
    throw Error("mapping of " + std::to_string(tokenLora.size()) + " tokens: expected below 2^31");

  std::vector<int32_t> counts(size_t(maxLoras), 0);
  for (size_t token = 0; token < tokenLora.size(); ++token) {
    int32_t slot = tokenLora[token];
    if (slot < -1 || slot >= maxLoras)
      throw Error("mapping of token " + std::to_string(token) + ": expected a slot in -1 to " +
                  std::to_string(maxLoras - 1) + ", found " + std::to_string(slot));
    if (slot >= 0)
      ++counts[size_t(slot)];
  }

  Mapping result;
  result.tokenLora.assign(tokenLora.begin(), tokenLora.end());
  std::vector<int32_t> next(counts.size(), 0);
  int32_t start = 0;
  for (size_t slot = 0; slot < counts.size(); ++slot) {
    next[slot] = start;
    if (counts[slot] > 0)
      result.adapters.push_back({static_cast<int32_t>(slot), start, start + counts[slot]});
    start += counts[slot];
  }
  result.tokenIndices.resize(size_t(start));
  for (size_t token = 0; token < tokenLora.size(); ++token)
    if (tokenLora[token] >= 0)
      result.tokenIndices[size_t(next[size_t(tokenLora[token])]++)] = static_cast<int32_t>(token);
  return result;
}

std::vector<RowBlock> Mapping::rowBlocks(int64_t blockM) const {
  std::vector<RowBlock> blocks;
  for (const RowBlock &adapter : adapters)
    for (int64_t begin = adapter.begin; begin < adapter.end; begin += blockM)
      blocks.push_back({adapter.slot, static_cast<int32_t>(begin),
                        static_cast<int32_t>(std::min<int64_t>(begin + blockM, adapter.end))});
  blocks.resize(size_t(maxRowBlocks(static_cast<int64_t>(tokenIndices.size()),
                                    static_cast<int64_t>(adapters.size()), blockM)));
  return blocks;
}

std::vector<int32_t> lora::randomMapping(int64_t tokens, int32_t adapters, double fractionWithout,
                                         uint64_t seed) {
  if (tokens < 0 || tokens > std::numeric_limits<int32_t>::max())
    throw Error("mapping of " + std::to_string(tokens) + " tokens: expected 0 to 2^31 - 1");
  if (!(fractionWithout >= 0 && fractionWithout <= 1))
    throw Error("fraction of tokens without an adapter: expected 0 to 1, found " +
                std::to_string(fractionWithout));
  int64_t without = std::llround(fractionWithout * static_cast<double>(tokens));
  if (without < tokens && adapters < 1)
    throw Error("mapping over " + std::to_string(adapters) + " adapters: expected at least 1");

  std::vector<int32_t> result(size_t(tokens), -1);
  for (int64_t i = without; i < tokens; ++i)
    result[size_t(i)] =
        static_cast<int32_t>(randomBelow(seed, uint64_t(i), static_cast<uint64_t>(adapters)));
  // A Fisher-Yates shuffle, which spreads the tokens without an adapter.
  for (int64_t i = tokens - 1; i > 0; --i) {
    uint64_t other = randomBelow(seed, uint64_t(tokens + i), uint64_t(i + 1));
    std::swap(result[size_t(i)], result[other]);
  }
  return result;
}

std::vector<int32_t> lora::sortedMapping(int64_t tokens, int32_t adapters, double fractionWithout,
                                         uint64_t seed) {
  std::vector<int32_t> result = randomMapping(tokens, adapters, fractionWithout, seed);
  std::sort(result.begin(), result.end());
  return result;
}

std::vector<int32_t> lora::readMapping(const std::string &path) {
  std::ifstream file(path);
  if (!file)
    throw Error(path + ": cannot open: " + std::strerror(errno));
  constexpr std::string_view space = " \t\r\v\f";
  std::vector<int32_t> result;
  std::string line;
  for (int64_t number = 1; std::getline(file, line); ++number) {
    size_t begin = line.find_first_not_of(space);
    while (begin != std::string::npos) {
      size_t end = std::min(line.find_first_of(space, begin), line.size());
      result.push_back(parseSlot(std::string_view(line).substr(begin, end - begin), path, number));
      begin = line.find_first_not_of(space, end);
    }
  }
  if (file.bad())
    throw Error(path + ": cannot read: " + std::strerror(errno));
  return result;
}
