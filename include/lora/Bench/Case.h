//===- Case.h - What a benchmark measures ---------------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "lora/Support/DType.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lora {

/// What is timed: shrink, expand, or one after the other.
enum class BenchOp { Shrink, Expand, Pair };

/// "shrink", "expand" or "pair".
std::string_view benchOpName(BenchOp op);

/// One shape. x is [tokens, hidden]; slice i of y is widths[i] columns, the first from `offset` on.
struct BenchCase {
  /// In the order of the enumeration.
  std::vector<BenchOp> ops;
  /// Requests, and tokens of each.
  int64_t batch = 1;
  int64_t seqLength = 1;
  int64_t hidden = 0;
  std::vector<int64_t> widths;
  int64_t rank = 0;
  /// Adapter slots, and how many of them tokens use.
  int64_t numLoras = 1;
  int64_t active = 1;
  /// Of x, y and weights.
  DType dtype = DType::F16;
  /// Whether tokens come sorted by adapter.
  bool sort = true;
  /// The fraction of requests without an adapter.
  double noLoraFraction = 0;
  /// Whether expand adds to y or overwrites it.
  bool addInputs = true;
  int64_t offset = 0;
  /// The layer of a model; may be empty.
  std::string label;

  int64_t tokens() const { return batch * seqLength; }
  int64_t slices() const { return static_cast<int64_t>(widths.size()); }
  /// Columns of all slices, and columns of y.
  int64_t sumOfWidths() const;
  int64_t yWidth() const { return offset + sumOfWidths(); }

  /// Tokens that have an adapter.
  int64_t withLora() const;
  /// Adapters whose weights have to be read: no more than there are tokens.
  int64_t reached() const;

  /// Bytes that must move: each input read once and each output written once.
  int64_t bytesOf(BenchOp op) const;
  /// Multiplications and additions.
  int64_t flopsOf(BenchOp op) const;
  /// Device memory of one set of arguments for all ops.
  int64_t setBytes() const;

  bool has(BenchOp op) const;

  /// What makes it the same case in two runs, as text; the same as that of lora_tile.bench.
  std::string key() const;

  /// Throws Error where no kernel supports the case.
  void check() const;
};

/// E.g. "4096->3x4096".
std::string shapeText(int64_t hidden, std::span<const int64_t> widths);

} // namespace lora
