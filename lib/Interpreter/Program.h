//===- Program.h - State of one interpreted program -----------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "Tensor.h"
#include "View.h"
#include "lora/Interpreter/Memory.h"

#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"

#include <array>
#include <variant>

namespace lora::interpreter {

class HandlerTable;

using RuntimeValue = std::variant<Tensor, View>;

/// A point of the launch grid, or the size of the grid: x, y and z.
using GridPoint = std::array<int64_t, 3>;

/// What the programs of a launch share.
struct Launch {
  Launch(const HandlerTable &handlers, const Memory &memory, GridPoint grid)
      : handlers(handlers), memory(memory), grid(grid) {}

  const HandlerTable &handlers;
  const Memory &memory;
  const GridPoint grid;
  /// By the address of an element that was accumulated to: the position in the grid of the program
  /// that did.
  llvm::DenseMap<uint64_t, int64_t> accumulated;
  /// By a split tile.sum and the position of a group in the grid: how often each program of the
  /// group has evaluated the sum.
  llvm::MapVector<std::pair<mlir::Operation *, int64_t>, llvm::SmallVector<int64_t>> evaluations;

  int64_t linearize(GridPoint point) const {
    return (point[2] * grid[1] + point[1]) * grid[0] + point[0];
  }
  GridPoint delinearize(int64_t position) const {
    return {position % grid[0], position / grid[0] % grid[1], position / grid[0] / grid[1]};
  }
};

/// One program while it runs: its coordinates and the values of its SSA values.
class Program {
public:
  Program(Launch &launch, GridPoint id) : launch(launch), id(id) {}

  Launch &launch;
  const GridPoint id;

  /// The value of an SSA value that has been evaluated. The reference is valid until the next bind.
  const RuntimeValue &get(mlir::Value value) const { return values.find(value)->second; }
  const Tensor &tensor(mlir::Value value) const { return std::get<Tensor>(get(value)); }
  const View &view(mlir::Value value) const { return std::get<View>(get(value)); }
  /// The value of an integer scalar, with its sign.
  int64_t integer(mlir::Value value) const { return tensor(value).ints[0]; }

  void bind(mlir::Value value, RuntimeValue runtimeValue) {
    values.insert_or_assign(value, std::move(runtimeValue));
  }

  mlir::LogicalResult evaluate(mlir::Operation *op);

  /// Evaluates the ops of a block but its terminator, whose operands then have values.
  mlir::LogicalResult evaluate(mlir::Block &block);

  /// An error at an op that names this program.
  mlir::InFlightDiagnostic error(mlir::Operation *op) const;

private:
  llvm::DenseMap<mlir::Value, RuntimeValue> values;
};

} // namespace lora::interpreter
