//===- DefaultConfig.cpp - A configuration for a shape without tuning ----===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Dispatch/DefaultConfig.h"

#include "lora/Support/Integers.h"
#include "lora/Support/ReductionTree.h"
#include "lora/Support/RowBlocks.h"

#include <algorithm>
#include <bit>
#include <initializer_list>
#include <numeric>

using namespace lora;

/// Programs that keep a large GPU busy.
static constexpr int64_t kEnoughPrograms = 256;
/// The most programs that share a sum: a cluster that every device grants.
static constexpr int64_t kLargestSplit = 8;
/// Shared memory that a block has on every target, in bytes.
static constexpr int64_t kSharedBytes = 99 * 1024;

static int64_t powerOfTwoAbove(int64_t value) {
  return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(std::max<int64_t>(value, 1))));
}

/// The largest power of two up to `most` that divides all values.
static int64_t alignment(int64_t most, std::initializer_list<int64_t> values) {
  for (int64_t value : values)
    most = std::gcd(most, value);
  return most;
}

int64_t lora::adaptersInUse(const LoraShape &shape) {
  int64_t adapters =
      std::count_if(shape.ranks.begin(), shape.ranks.end(), [](int32_t rank) { return rank > 0; });
  return std::clamp<int64_t>(adapters, 1, std::max<int64_t>(shape.tokens, 1));
}

int64_t lora::rowBlocks(const LoraShape &shape, int64_t m) {
  return maxRowBlocks(std::max<int64_t>(shape.tokens, 1), adaptersInUse(shape), m);
}

/// The tokens that an adapter has on average.
static int64_t tokensPerAdapter(const LoraShape &shape) {
  return ceilDiv(shape.tokens, adaptersInUse(shape));
}

/// Buffers of the shared-memory ring: three hide the latency of memory. One means no ring, which
/// suffices where a warp has a block or two, and is needed where rows are not aligned to 4 bytes.
static int64_t ringStages(int64_t tokensPerAdapter, int64_t align, int64_t bufferBytes,
                          int64_t otherBytes) {
  if (tokensPerAdapter <= 16 || align < 2)
    return 1;
  return std::clamp<int64_t>((kSharedBytes - otherBytes) / bufferBytes, 1, 3);
}

static Config shrinkConfig(const LoraShape &shape) {
  int64_t perAdapter = tokensPerAdapter(shape);
  int64_t m = perAdapter <= 64 ? 16 : 32;
  // A warp keeps a sum for each level of its tree, which wider tiles have no registers for.
  int64_t n = std::clamp<int64_t>(powerOfTwoAbove(shape.maxRank), 8, m == 16 ? 16 : 32);
  // Warps share the reduced dimension first; two row fragments for each of many tokens. A long row
  // of few tokens has a leaf of the tree for each of twice as many warps.
  int64_t leaves = ReductionTree(shape.hidden).leaves();
  bool isLong = m == 16 && leaves == ReductionTree::kMaxLeaves;
  int64_t warps = isLong || m == 32 ? 8 : 4;
  int64_t warpsK = isLong ? 8 : 4;
  int64_t k = m == 16 ? 128 : 64;
  int64_t align = alignment(8, {shape.hidden, shape.xStride, shape.aStride});

  // Programs share it where there are few of them and each keeps a leaf of the tree for each warp.
  int64_t programs = rowBlocks(shape, m) * ceilDiv(shape.maxRank, n) * shape.slices();
  int64_t split = 1;
  while (split < kLargestSplit && split * 2 * warpsK <= leaves &&
         programs * split * 2 <= kEnoughPrograms)
    split *= 2;
  // Where all programs are resident and warps have several blocks, two of these are under way in
  // registers; a ring makes up for its instructions when there are more tokens.
  bool inRegisters = isLong && split == kLargestSplit && shape.hidden > split * warpsK * k;
  int64_t stages = inRegisters ? 2
                               : ringStages(perAdapter, align, warpsK * (m + n) * k * 2,
                                            split > 1 ? split * m * n * 4 : 0);
  return {{"BLOCK_M", m},
          {"BLOCK_N", n},
          {"BLOCK_K", k},
          {"SPLIT_K", split},
          {"WARPS", warps},
          {"WARPS_K", warpsK},
          {"STAGES", stages},
          {"RING", !inRegisters},
          {"ALIGN", align},
          {"RANK_ALIGN", alignment(4, {shape.maxRank, shape.sStride, shape.sSliceStride})}};
}

static Config expandConfig(const LoraShape &shape) {
  int64_t most = std::max<int64_t>(powerOfTwoAbove(shape.maxRank), 16);
  // All of the rank at a time, as long as a warp has registers for it.
  bool isWide = most == 128;
  int64_t k = isWide ? 128 : std::min<int64_t>(most, 64);
  int64_t rankAlign = alignment(8, {shape.sStride, shape.sSliceStride, shape.bStride});
  for (int32_t rank : shape.ranks)
    rankAlign = std::gcd(rankAlign, rank == 0 ? rankAlign : rank);
  int64_t yAlign = alignment(8, {shape.yStride, shape.outputOffset});
  for (int32_t width : shape.sliceWidths)
    yAlign = std::gcd(yAlign, width);
  int64_t perAdapter = tokensPerAdapter(shape);
  int64_t m = std::clamp<int64_t>(powerOfTwoAbove(perAdapter), 16, isWide ? 16 : 32);
  int64_t n = isWide ? 64 : 128;
  // Few programs a row walk along it and load ahead; many serve few tokens faster. No fewer than
  // eight, so that the rows that are under way lie together in memory.
  int64_t widest = *std::max_element(shape.sliceWidths.begin(), shape.sliceWidths.end());
  int64_t programs =
      powerOfTwoAbove(ceilDiv(kEnoughPrograms * 4, rowBlocks(shape, m) * shape.slices()));
  programs = std::min(std::max<int64_t>(programs, 8), powerOfTwoAbove(ceilDiv(widest, n)));
  programs = std::clamp<int64_t>(programs, 1, 128);
  return {{"BLOCK_M", m},
          {"BLOCK_N", n},
          {"PROGRAMS_N", programs},
          {"BLOCK_K", k},
          {"MAX_RANK", most},
          {"WARPS", isWide ? 2 : 4},
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
