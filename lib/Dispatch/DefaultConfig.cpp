//===- DefaultConfig.cpp - A configuration for a shape without tuning ----===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Dispatch/DefaultConfig.h"

#include <algorithm>
#include <bit>
#include <initializer_list>
#include <numeric>

using namespace lora;

/// Programs that keep a large GPU busy.
static constexpr int64_t kEnoughPrograms = 256;
/// Elements of the reduced dimension that are worth a program of their own.
static constexpr int64_t kLeastPart = 1024;

static int64_t powerOfTwoAbove(int64_t value) {
  return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(std::max<int64_t>(value, 1))));
}

static int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// The largest power of two up to `most` that divides all values.
static int64_t alignment(int64_t most, std::initializer_list<int64_t> values) {
  for (int64_t value : values)
    most = std::gcd(most, value);
  return most;
}

/// Rows of a block: as many as the tokens of an adapter fill on average, in 16 to `most`.
static int64_t blockOfTokens(const LoraShape &shape, int64_t most) {
  int64_t adapters =
      std::count_if(shape.ranks.begin(), shape.ranks.end(), [](int32_t rank) { return rank > 0; });
  int64_t perAdapter = ceilDiv(shape.tokens, std::max<int64_t>(adapters, 1));
  return std::clamp<int64_t>(powerOfTwoAbove(perAdapter), 16, most);
}

static Config shrinkConfig(const LoraShape &shape) {
  int64_t n = std::clamp<int64_t>(powerOfTwoAbove(shape.maxRank), 8, 64);
  int64_t m = blockOfTokens(shape, n <= 32 ? 64 : 32);
  int64_t warps = 4, warpsK = std::max<int64_t>(1, warps / (m / 16));
  int64_t programs = ceilDiv(shape.tokens, m) * ceilDiv(shape.maxRank, n) * shape.slices();
  int64_t split = 1;
  while (split < 16 && split * warpsK < 32 && programs * split * 2 <= kEnoughPrograms &&
         shape.hidden / (split * 2) >= kLeastPart)
    split *= 2;
  return {{"BLOCK_M", m},
          {"BLOCK_N", n},
          {"BLOCK_K", m + n <= 64 ? 128 : 64},
          {"SPLIT_K", split},
          {"WARPS", warps},
          {"WARPS_K", warpsK},
          {"STAGES", 1},
          {"ALIGN", alignment(8, {shape.hidden, shape.xStride, shape.aStride})},
          {"RANK_ALIGN", alignment(4, {shape.maxRank, shape.sStride, shape.sSliceStride})}};
}

static Config expandConfig(const LoraShape &shape) {
  int64_t most = std::max<int64_t>(powerOfTwoAbove(shape.maxRank), 16);
  int64_t k = std::min<int64_t>(most, 64);
  int64_t rankAlign = alignment(8, {shape.sStride, shape.sSliceStride, shape.bStride});
  for (int32_t rank : shape.ranks)
    rankAlign = std::gcd(rankAlign, rank == 0 ? rankAlign : rank);
  int64_t yAlign = alignment(8, {shape.yStride, shape.outputOffset});
  for (int32_t width : shape.sliceWidths)
    yAlign = std::gcd(yAlign, width);
  int64_t m = blockOfTokens(shape, 64), n = 128;
  // Few programs a row walk along it and load ahead; many serve few tokens faster.
  int64_t widest = *std::max_element(shape.sliceWidths.begin(), shape.sliceWidths.end());
  int64_t programs =
      powerOfTwoAbove(ceilDiv(kEnoughPrograms * 2, ceilDiv(shape.tokens, m) * shape.slices()));
  programs = std::clamp<int64_t>(std::min(programs, powerOfTwoAbove(ceilDiv(widest, n))), 1, 128);
  return {{"BLOCK_M", m},
          {"BLOCK_N", n},
          {"PROGRAMS_N", programs},
          {"BLOCK_K", k},
          {"MAX_RANK", most},
          {"WARPS", 4},
          {"ADD_INPUTS", shape.addInputs},
          {"RANK_ALIGN", rankAlign},
          {"Y_ALIGN", yAlign}};
}

Config lora::defaultConfig(LoraOp op, const LoraShape &shape) {
  return op == LoraOp::Shrink ? shrinkConfig(shape) : expandConfig(shape);
}

std::string lora::configText(const Config &config) {
  std::string text;
  for (const auto &[name, value] : config)
    text += (text.empty() ? "" : " ") + name + "=" + std::to_string(value);
  return text;
}
