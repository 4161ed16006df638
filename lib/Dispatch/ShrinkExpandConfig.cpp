//===- ShrinkExpandConfig.cpp - A configuration for a single launch -----===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Dispatch/ShrinkExpandConfig.h"

#include <algorithm>
#include <numeric>

using namespace lora;

/// Programs that repeat the shrink of the same tokens, each for other columns of y.
static int64_t splitN(const LoraShape &shape) {
  if (shape.maxRank > 16 || shape.tokens > 256)
    return 1;
  return shape.tokens <= 16 && shape.hidden >= 8192 ? 4 : 2;
}

std::optional<Config> lora::shrinkExpandConfig(const LoraShape &shape) {
  bool isLong = shape.hidden >= 2048;
  if (!shape.addInputs || shape.tokens > 1024 || shape.maxRank > 64 ||
      (shape.maxRank > 16 && (shape.tokens > 256 || !isLong)))
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
  bool isSmall = shape.maxRank <= 16;
  return Config{{"BLOCK_M", 16},
                {"BLOCK_N", 256},
                {"BLOCK_K", isSmall ? 128 : 64},
                {"MAX_RANK", isSmall ? 16 : 64},
                {"SPLIT_K", isLong ? 8 : 4},
                {"SPLIT_N", splitN(shape)},
                {"WARPS", 4},
                {"WARPS_K", 4},
                {"ALIGN", align},
                {"RANK_ALIGN", rankAlign},
                {"Y_ALIGN", yAlign}};
}
