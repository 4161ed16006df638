//===- Cases.h - The problems whose accuracy is measured -----------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "lora/Problem/LoraProblem.h"

#include <cstdint>
#include <string>
#include <vector>

namespace lora::accuracy {

/// A problem without its data.
struct Case {
  LoraOp op = LoraOp::Shrink;
  LoraShape shape;
  /// Whether the case is one of the grid that the tables are over, or stands for itself.
  bool inGrid = true;
  /// What is special about a case outside of the grid.
  std::string note;

  /// E.g. "shrink x=f16 w=f16 tokens=16 hidden=64 rank=8 adapters=4 slices=1".
  std::string name() const;

  /// The problem with the data of a seed. About a tenth of the tokens has no adapter, and the
  /// others are in no order.
  LoraProblem problem(uint64_t seed, RandomPool *pool) const;
};

/// The columns of the slices of an expand for a hidden size: one of that size, or three as q, k and
/// v have with four query heads to each key head. Throws Error for other numbers.
std::vector<int32_t> sliceWidths(int64_t hidden, int32_t slices);

/// A case with one rank for all adapters and no gaps between rows.
Case plainCase(LoraOp op, DType type, int64_t tokens, int64_t hidden, int32_t rank,
               int32_t adapters, int32_t slices);

/// Every combination of tokens, hidden sizes, ranks, adapters, slices and types, followed by the
/// cases outside of the grid.
std::vector<Case> allCases();

/// A few of each.
std::vector<Case> quickCases();

/// The largest numbers of activations and of weights in one matrix, which a pool must have.
struct PoolSize {
  int64_t activations = 0, weights = 0;
};
PoolSize poolSize(const std::vector<Case> &cases);

} // namespace lora::accuracy
