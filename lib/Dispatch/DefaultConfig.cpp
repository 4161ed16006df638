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

/// Programs of four warps that keep a large GPU busy, and the multiprocessors that it has.
static constexpr int64_t kEnoughPrograms = 256;
static constexpr int64_t kMultiprocessors = 132;
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

/// Buffers of the shared-memory ring, which hide the latency of memory. One means no ring, which is
/// needed where rows are not aligned to 4 bytes.
static int64_t ringStages(int64_t most, int64_t align, int64_t bufferBytes, int64_t otherBytes) {
  if (align < 2)
    return 1;
  return std::clamp<int64_t>((kSharedBytes - otherBytes) / bufferBytes, 1, most);
}

namespace {

/// What a program of shrink computes, the most buffers of its ring, and how many programs are as
/// many as the GPU takes at a time.
struct ShrinkTile {
  int64_t m, n, k, warps, warpsK, stages, enough;
};

} // namespace

/// The thresholds are those that lie between what was measured on an H200 (docs/tuning.md).
static ShrinkTile shrinkTile(const LoraShape &shape, int64_t leaves, bool isAligned) {
  int64_t perAdapter = tokensPerAdapter(shape), rank = shape.maxRank;
  auto rows = [&](int64_t m) { return rowBlocks(shape, m) * shape.slices(); };
  auto programs = [&](int64_t m, int64_t n) { return rows(m) * ceilDiv(rank, n); };
  bool isLarge = perAdapter >= 32 && rows(32) >= 96;
  bool hasLeaves = leaves >= 8;
  int64_t n = std::clamp<int64_t>(powerOfTwoAbove(rank), 8, 16);
  if (rank <= 16 || !isAligned) {
    // Large batches read x through the ring, in blocks that are the taller the more there are.
    if (perAdapter >= 64 && rows(64) >= 192)
      return {64, n, 64, 8, 2, 3, 2 * kMultiprocessors};
    if (isLarge)
      return {32, n, 64, 8, 4, 3, 2 * kMultiprocessors};
    // Many low blocks, as slices of many adapters have: two programs share each sum.
    if (rows(16) >= 176 && hasLeaves)
      return {16, n, 64, 4, 4, 4, 2 * rows(16)};
    if (rows(16) >= 100 && (leaves >= 16 || (perAdapter > 16 && hasLeaves)))
      return {16, n, 64, 8, 8, 3, 2 * rows(16)};
  } else {
    // Blocks of 32 ranks read x half as often. A warp keeps a sum for each level of its tree, which
    // wider ones have no registers for, nor have these where rows are loaded element by element.
    if (isLarge && rank > 64)
      return {64, 32, 64, 4, 1, 3, kMultiprocessors};
    // Low ones are faster where two programs for each sum are as many as the GPU takes at a time.
    int64_t low = programs(16, 32);
    if (low >= 100 && low < 200)
      return {16, 32, 64, 4, 4, 3, 2 * low};
    if (isLarge || perAdapter > 64)
      return {32, 32, 64, 8, 4, 3, kMultiprocessors};
    if (rows(16) > 16 && low >= 32)
      return {16, 32, 64, 4, 4, 3, kEnoughPrograms};
  }
  // Where there are as many programs as multiprocessors, or a row is long, eight warps share the
  // reduced dimension, if there is a leaf of the tree for each.
  int64_t count = programs(16, n), stages = perAdapter > 16 ? 3 : 1;
  if (leaves == ReductionTree::kMaxLeaves || (count > 16 && count < 100 && hasLeaves))
    return {16, n, 128, 8, 8, stages, kMultiprocessors + kMultiprocessors / 5};
  return {16, n, 128, 4, 4, stages, kEnoughPrograms};
}

static Config shrinkConfig(const LoraShape &shape) {
  int64_t align = alignment(8, {shape.hidden, shape.xStride, shape.aStride});
  int64_t leaves = ReductionTree(shape.hidden).leaves();
  bool isLong = leaves == ReductionTree::kMaxLeaves;
  auto [m, n, k, warps, warpsK, most, enough] = shrinkTile(shape, leaves, align > 1);
  bool isDirect = k == 128;
  // Element by element, half as much fits into registers.
  if (align == 1)
    k = 64;

  // Programs share a sum where there are few of them and each keeps a leaf of the tree for each
  // warp.
  int64_t programs = rowBlocks(shape, m) * ceilDiv(shape.maxRank, n) * shape.slices();
  int64_t split = 1;
  while (split < kLargestSplit && split * 2 * warpsK <= leaves && programs * split * 2 <= enough)
    split *= 2;
  // Where all programs are resident and warps have several blocks, two of these are under way in
  // registers; a ring makes up for its instructions when there are more tokens.
  bool inRegisters = isDirect && isLong && warpsK == 8 && programs * split <= 96 &&
                     shape.hidden > split * warpsK * k;
  int64_t bufferBytes = warpsK * (m + n) * k * 2, sumBytes = split > 1 ? split * m * n * 4 : 0;
  int64_t stages = inRegisters ? 2 : ringStages(most, align, bufferBytes, sumBytes);
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
  bool isDeep = most == 128;
  int64_t k = isDeep ? 128 : std::min<int64_t>(most, 64);
  int64_t rankAlign = alignment(8, {shape.sStride, shape.sSliceStride, shape.bStride});
  for (int32_t rank : shape.ranks)
    rankAlign = std::gcd(rankAlign, rank == 0 ? rankAlign : rank);
  // Element by element, half as much fits into registers.
  if (rankAlign == 1 && most > 32)
    k = 32;
  int64_t yAlign = alignment(8, {shape.yStride, shape.outputOffset});
  for (int32_t width : shape.sliceWidths)
    yAlign = std::gcd(yAlign, width);
  // Tall blocks read the weights for more rows, but of a deep product they can only be narrow.
  int64_t perAdapter = tokensPerAdapter(shape);
  bool isTall =
      isDeep && k == 128 && perAdapter >= 64 && rowBlocks(shape, 64) * shape.slices() >= 16;
  int64_t m = isTall ? 64 : std::clamp<int64_t>(powerOfTwoAbove(perAdapter), 16, isDeep ? 16 : 32);
  int64_t n = isTall ? 32 : isDeep ? 64 : 128;
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
          {"WARPS", isDeep ? 2 : 4},
          {"KEEP", 0},
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
