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

/// Programs that find a multiprocessor of a large GPU for each.
static constexpr int64_t kProcessors = 132;
/// Programs that are resident at a time: two a multiprocessor, but the clusters that wide ones form
/// leave some idle; and narrow ones, which need fewer registers.
static constexpr int64_t kResident = 2 * kProcessors - 24;
static constexpr int64_t kResidentNarrow = 2 * kProcessors + 32;

namespace {

/// What depends on the numbers of tokens and columns.
struct Split {
  int64_t m = 16, n = 512, k = 128, splitK = 1, splitN = 1, warpsK = 4, stages = 1;
  bool ring = true;
};

} // namespace

/// Programs of a launch whose sums and columns are not divided.
static int64_t rowPrograms(const LoraShape &shape) { return rowBlocks(shape, 16) * shape.slices(); }

/// Few tokens: every warp has a leaf of the tree, as long as all programs are resident, and every
/// program columns of its own.
static Split splitForFew(const LoraShape &shape) {
  Split split;
  int64_t leaves = ReductionTree(shape.hidden).leaves(), programs = rowPrograms(shape);
  int64_t widest = *std::max_element(shape.sliceWidths.begin(), shape.sliceWidths.end());
  split.splitK = std::clamp<int64_t>(leaves / split.warpsK, 4, 16);
  while (split.splitK > 2 && programs * split.splitK > kResident)
    split.splitK /= 2;
  bool isLeftOver = programs * split.splitK * 2 <= kProcessors;
  split.splitN = isLeftOver && widest > split.splitK * split.n ? 2 : 1;
  return split;
}

/// More tokens: as many programs as are resident at a time.
static Split splitForMany(const LoraShape &shape) {
  Split split;
  int64_t leaves = ReductionTree(shape.hidden).leaves(), programs = rowPrograms(shape);
  // Where few tokens leave a warp several blocks, two are under way in registers.
  if (leaves >= 8 * split.warpsK && programs * 8 <= kResidentNarrow)
    return {.n = 256, .k = 64, .splitK = 8, .stages = 2, .ring = false};
  bool isFew = leaves >= 4 * split.warpsK && programs * 4 <= kResident;
  split.splitK = isFew ? 4 : 2;
  return split;
}

/// A batch that fills the GPU by its rows: blocks as high as adapters have tokens for them.
static Split splitForLarge(const LoraShape &shape) {
  if (shape.tokens <= 6144 || adaptersInUse(shape) > 64)
    return {.m = 32, .n = 256, .splitK = 2, .warpsK = 2, .stages = 3};
  return {.m = 64, .n = 128, .splitK = shape.tokens <= 12288 ? 2 : 1, .warpsK = 1, .stages = 3};
}

/// What is faster in one launch than in two, found on an H200. With larger ranks, two always were,
/// and so they were for long rows of some hundred to some thousand tokens.
static std::optional<Split> splitFor(const LoraShape &shape) {
  if (shape.tokens <= 256)
    return splitForFew(shape);
  if (shape.tokens > 6144)
    return splitForLarge(shape);
  int64_t longest = shape.tokens <= 512 ? 8192 : 8191;
  if (shape.hidden > longest)
    return std::nullopt;
  return shape.tokens <= 2048 ? splitForMany(shape) : splitForLarge(shape);
}

std::optional<Config> lora::shrinkExpandConfig(const LoraShape &shape) {
  if (!shape.addInputs || shape.maxRank > 16)
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
  bool inRing = split->ring;
  return Config{{"BLOCK_M", split->m},
                {"BLOCK_N", split->n},
                {"BLOCK_K", split->k},
                {"MAX_RANK", 16},
                {"SPLIT_K", split->splitK},
                {"SPLIT_N", split->splitN},
                {"WARPS", 4},
                {"WARPS_K", split->warpsK},
                {"STAGES", inRing && align < 2 ? 1 : split->stages},
                {"RING", inRing},
                {"ALIGN", align},
                {"RANK_ALIGN", rankAlign},
                {"Y_ALIGN", yAlign}};
}
