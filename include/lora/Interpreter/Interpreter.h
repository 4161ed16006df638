//===- Interpreter.h - Evaluation of tile kernels -------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// The interpreter runs the programs of a specialised tile.kernel one after another on host memory,
// op by op on whole tiles. It defines what the tile dialect means:
//
// - Values of `f16` and `bf16` are always representable in their type; arithmetic on them is done
//   in f32 and rounded to nearest even once an op. Integers wrap around at their width. `index` is
//   64 bits wide.
// - `tile.dot` adds the products in f32 in ascending order of k, one at a time. Operands of `f32`
//   are rounded to tf32 first: to 10 mantissa bits, the nearest, ties away from zero.
// - `tile.sum` follows lora::ReductionTree. A leaf starts at +0 and adds the results of its blocks
//   in ascending order. A dot without an accumulator whose one use is the yield adds its products
//   to the running value of the leaf one by one. Each program of a split group evaluates the whole
//   sum; where the sum is not visible, the result is NaN.
//
// What the dialect leaves undefined is an error: an access that lies in no registered buffer,
// writes a read-only one or is not aligned to its element; a broken promise (an `assuming` clause,
// tile.assume_divisible, the `alignment` or `in_bounds` of an access); a row index inside the view
// that occurs twice in a scatter; two programs that accumulate to one element; programs of a split
// group that do not all evaluate the sum; integer division by zero or with an overflow; a shift by
// the width or more; a float that fits no integer of the result's type.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "Tile/Tile.h"
#include "lora/Interpreter/Memory.h"

#include <array>
#include <cstdint>
#include <optional>
#include <variant>

namespace lora::interpreter {

/// An argument of a kernel: the address of a pointer argument, or the value of an i32, i64 or f32.
using KernelArgument = std::variant<uint64_t, int32_t, int64_t, float>;

struct Options {
  /// Runs the programs in a random order drawn from this seed. Without it `x` varies fastest. No
  /// order may change what a valid kernel writes.
  std::optional<uint64_t> shuffleSeed;
};

/// Runs every program of `grid` (the number of programs along x, y and z) of a verified,
/// specialised kernel, one after another on the calling thread. On an error it emits one diagnostic
/// at the op that is at fault and fails; memory is then as the programs up to there left it.
mlir::LogicalResult interpret(tile::KernelOp kernel, llvm::ArrayRef<KernelArgument> arguments,
                              std::array<int64_t, 3> grid, const Memory &memory,
                              const Options &options = {});

} // namespace lora::interpreter
