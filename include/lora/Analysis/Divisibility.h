//===- Divisibility.h - What values are known to be multiples of ------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "Tile/Tile.h"

#include "llvm/ADT/DenseMap.h"

namespace lora {

/// Divisors of integer and pointer values of one specialised kernel, from its `assuming` clauses,
/// `tile.assume_divisible`, constants and arithmetic.
class Divisibility {
public:
  explicit Divisibility(tile::KernelOp kernel);

  /// A number that the value is a multiple of; 0 if the value is zero. Pointers count in bytes and
  /// are at least aligned to their pointee.
  int64_t of(mlir::Value value);

private:
  int64_t compute(mlir::Value value);

  tile::KernelOp kernel;
  llvm::DenseMap<mlir::Value, int64_t> known;
};

} // namespace lora
