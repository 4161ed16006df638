//===- Problem.h - What a kernel is tuned for -----------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "lora/Problem/LoraShape.h"
#include "lora/Runtime/Arguments.h"
#include "lora/Support/DType.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lora::tuner {

/// The operation of a kernel, told by the names of its arguments.
enum class Operation { Shrink, Expand, ShrinkExpand };

/// One point that a kernel is tuned for. All adapters have the same rank and, as far as they can,
/// the same number of tokens; every token has an adapter.
struct TuneProblem {
  /// The name of the kernel in its source.
  std::string kernel;
  Operation operation = Operation::Shrink;
  DType xType = DType::F16, wType = DType::F16;
  int64_t tokens = 1;
  /// Columns of x; 0 for an expand, which has none.
  int64_t hidden = 0;
  /// Columns of each slice of y. For a shrink, which only knows how many there are, all are 0.
  std::vector<int32_t> widths;
  int32_t rank = 16;
  /// Adapters in use, at most as many as tokens.
  int32_t adapters = 1;
  /// Whether y is added to. Only an expand can be without.
  bool addInputs = true;

  /// The same problem with what its operation does not depend on set to fixed values, so that
  /// problems that are the same have the same key. Throws Error, naming the field, if a value is
  /// out of range.
  TuneProblem normalised() const;

  /// E.g. "shrink x=f16 w=f16 tokens=16 hidden=4096 slices=3 rank=16 adapters=4".
  std::string key() const;

  /// The inverse of key(), for a normalised problem. Throws Error with the text that it cannot
  /// read.
  static TuneProblem parse(std::string_view key);

  /// The column that the dispatch of the runtime calls hidden: that of an expand is its widest
  /// slice.
  int64_t dispatchHidden() const;

  int64_t slices() const { return static_cast<int64_t>(widths.size()); }
  int64_t totalWidth() const;

  /// The sizes in the terms of a shape, completed for the operation; a pair is completed as an
  /// expand that knows hidden.
  LoraShape shape() const;

  /// The bytes that must move between memory and chip: each input read once, each output written
  /// once.
  double bytes() const;

  /// Multiply-adds times two.
  double flops() const;

  auto operator<=>(const TuneProblem &) const = default;
};

std::string_view operationName(Operation operation);

/// Integer arguments of a launch of the problem for a kernel with the given BLOCK_M, and pointers
/// that are as aligned as those of real buffers. Strides are what alignments hold for: a width
/// that is less aligned than the stride of its rows counts instead of it. So whatever a kernel may
/// assume of these, it may assume of the problem.
Arguments assumedArguments(const TuneProblem &problem, int64_t blockM);

/// The number of row blocks of the problem.
int64_t rowBlocks(const TuneProblem &problem, int64_t blockM);

/// The adapter slot of each token: ascending, as even as can be.
std::vector<int32_t> tokenLora(const TuneProblem &problem);

} // namespace lora::tuner
