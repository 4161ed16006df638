//===- ShrinkExpandConfig.cpp - A configuration for a single launch -----===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Dispatch/ShrinkExpandConfig.h"

#include "lora/Support/ReductionTree.h"

#include <algorithm>
#include <numeric>

using namespace lora;

/// Programs that find a multiprocessor of a large GPU for each, and twice as many.
static constexpr int64_t kProcessors = 132;
static constexpr int64_t kResident = 2 * kProcessors + 32;

namespace {

/// What depends on the numbers of tokens and columns.
struct Split {
  int64_t m = 16, n = 512, k = 128, splitK = 1, splitN = 1, warpsK = 4, stages = 1;
};

} // namespace

/// Blocks of m tokens, when every adapter has its share.
static int64_t rowBlocks(const LoraShape &shape, int64_t m) {
  int64_t adapters =
      std::count_if(shape.ranks.begin(), shape.ranks.end(), [](int32_t rank) { return rank > 0; });
  adapters = std::clamp<int64_t>(adapters, 1, std::max<int64_t>(shape.tokens, 1));
  return (shape.tokens - adapters) / m + adapters;
}

/// Few tokens: every warp has a leaf of the tree, and every program columns of its own.
static Split splitForFew(const LoraShape &shape) {
  Split split;
  int64_t leaves = ReductionTree(shape.hidden).leaves();
  split.splitK = std::clamp<int64_t>(leaves / split.warpsK, 4, 16);
  split.n = split.splitK == 4 && shape.hidden < 2048 ? 256 : 512;
  bool isLeftOver = rowBlocks(shape, 16) * split.splitK * 2 <= kProcessors;
  split.splitN = isLeftOver && shape.hidden > split.splitK * split.n ? 2 : 1;
  return split;
}

/// More tokens: as many programs as are resident at a time.
static Split splitForMany(const LoraShape &shape) {
  Split split;
  int64_t leaves = ReductionTree(shape.hidden).leaves(), blocks = rowBlocks(shape, 16);
  split.splitK = 2;
  while (split.splitK < 8 && split.splitK * 2 * split.warpsK <= leaves &&
         blocks * split.splitK * 2 <= kResident)
    split.splitK *= 2;
  split.n = split.splitK == 8 ? 256 : 512;
  return split;
}

/// What is faster in one launch than in two, found on an H200.
static std::optional<Split> splitFor(const LoraShape &shape) {
  bool isShort = shape.hidden < 3072;
  if (shape.maxRank > 16) {
    if (shape.tokens > 256 || shape.hidden < 2048)
      return std::nullopt;
    return Split{.n = 256, .k = 64, .splitK = 8};
  }
  if (shape.tokens <= 256)
    return splitForFew(shape);
  if (shape.tokens <= 1024 || (shape.tokens <= 4096 && shape.hidden < 8192))
    return splitForMany(shape);
  if (isShort)
    return Split{.m = 32, .n = 256, .k = 64, .stages = 3};
  return std::nullopt;
}

std::optional<Config> lora::shrinkExpandConfig(const LoraShape &shape) {
  if (!shape.addInputs || shape.maxRank > 64)
    return std::nullopt;
  std::optional<Split> split = splitFor(shape);
  if (!split)
    return std::nullopt;
  int64_t align = 8, rankAlign = 8, yAlign = 8;
  for (int64_t value : {shape.hidden, shape.xStride, shape.aStride})
    align = std::gcd(align, value);
  rankAlign = std::gcd(rankAlign, shape.bStride);
  for (int32_t rank : shape.ranks)
    rankAlign = std::gcd(rankAlign, rank);
  for (int64_t value : {shape.yStride, int64_t(shape.outputOffset)})
    yAlign = std::gcd(yAlign, value);
  for (int32_t width : shape.sliceWidths)
    yAlign = std::gcd(yAlign, width);
  return Config{{"BLOCK_M", split->m},
                {"BLOCK_N", split->n},
                {"BLOCK_K", split->k},
                {"MAX_RANK", shape.maxRank <= 16 ? 16 : 64},
                {"SPLIT_K", split->splitK},
                {"SPLIT_N", split->splitN},
                {"WARPS", 4},
                {"WARPS_K", split->warpsK},
                {"STAGES", align < 2 ? 1 : split->stages},
                {"ALIGN", align},
                {"RANK_ALIGN", rankAlign},
                {"Y_ALIGN", yAlign}};
}
