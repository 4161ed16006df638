//===- Accesses.cpp - Interpretation of loads and stores ------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handlers.h"
#include "Tile/Tile.h"
#include "Window.h"

#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace lora;
using namespace lora::interpreter;

static SmallVector<int64_t, 3> getCoordinates(const Program &program, ValueRange indices) {
  SmallVector<int64_t, 3> coordinates;
  for (Value index : indices)
    coordinates.push_back(program.integer(index));
  return coordinates;
}

static Window getWindow(const Program &program, ArrayRef<int64_t> shape, Value rows, Value column) {
  return {SmallVector<int64_t>(ArrayRef<int64_t>(program.tensor(rows).ints)),
          program.integer(column), shape[1], /*hasConsecutiveRows=*/false};
}

template <typename AccessOp> static Facts getFacts(AccessOp op) {
  const bool isMatrix = op.getView().getType().getRank() == 2;
  return {isMatrix && op.isInBounds(0), op.isInBounds(isMatrix ? 1 : 0),
          static_cast<int64_t>(op.getAlignment().value_or(1))};
}

//===----------------------------------------------------------------------===//
// Reads
//===----------------------------------------------------------------------===//

static LogicalResult evaluateLoadScalar(Program &program, tile::LoadScalarOp op) {
  const View &view = program.view(op.getView());
  const SmallVector<int64_t, 3> coordinates = getCoordinates(program, op.getIndices());
  Tensor result(op.getType());
  if (view.contains(coordinates)) {
    Cursor cursor(program.launch.memory, view, /*writes=*/false);
    const char *memory = cursor.find(view.getAddress(coordinates));
    if (!memory)
      return cursor.report(program, op, coordinates);
    result.read(0, memory);
  }
  program.bind(op.getResult(), std::move(result));
  return success();
}

/// Reads a window over `result`, which holds the padding.
template <typename AccessOp>
static LogicalResult readTile(Program &program, AccessOp op, const Window &window, Tensor result) {
  const View &view = program.view(op.getView());
  auto read = [&](const char *memory, int64_t index) {
    result.read(index, memory);
    return success();
  };
  if (failed(checkFacts(program, op, view, window, getFacts(op))) ||
      failed(forEachInside(program, op, view, window, /*writes=*/false, read)))
    return failure();
  program.bind(op.getResult(), std::move(result));
  return success();
}

static LogicalResult evaluateLoad(Program &program, tile::LoadOp op) {
  Tensor result(op.getType());
  if (auto padding = op.getPadding()) {
    std::optional<Tensor> value = Tensor::fromAttribute(*padding);
    if (!value)
      return program.error(op) << "expected an integer or a float as padding, got " << *padding;
    result.fill(*value);
  }
  const Window window = Window::at(result.shape, getCoordinates(program, op.getIndices()));
  return readTile(program, op, window, std::move(result));
}

static LogicalResult evaluateGather(Program &program, tile::GatherOp op) {
  Tensor result(op.getType());
  const Window window = getWindow(program, result.shape, op.getRows(), op.getColumn());
  return readTile(program, op, window, std::move(result));
}

//===----------------------------------------------------------------------===//
// Writes
//===----------------------------------------------------------------------===//

/// Notes that a program accumulates to an element; an error if another one has.
static LogicalResult claim(Program &program, Operation *op, const char *memory) {
  Launch &launch = program.launch;
  const int64_t self = launch.linearize(program.id);
  const int64_t owner =
      launch.accumulated.try_emplace(reinterpret_cast<uint64_t>(memory), self).first->second;
  if (owner == self)
    return success();
  const GridPoint other = launch.delinearize(owner);
  return program.error(op) << "accumulates to an element that program (" << other[0] << ", "
                           << other[1] << ", " << other[2]
                           << ") has accumulated to; expected one program an element";
}

template <typename AccessOp>
static LogicalResult writeTile(Program &program, AccessOp op, const Window &window) {
  const View &view = program.view(op.getView());
  const Tensor &value = program.tensor(op.getValue());
  if (failed(checkFacts(program, op, view, window, getFacts(op))))
    return failure();
  if (!op.getAccumulate())
    return forEachInside(program, op, view, window, /*writes=*/true,
                         [&](char *memory, int64_t index) {
                           value.write(index, memory);
                           return success();
                         });
  Tensor sum(op.getView().getType().getElementType());
  return forEachInside(program, op, view, window, /*writes=*/true,
                       [&](char *memory, int64_t index) -> LogicalResult {
                         if (failed(claim(program, op, memory)))
                           return failure();
                         sum.read(0, memory);
                         sum.floats[0] += value.floats[index];
                         // Writing rounds to the element type.
                         sum.write(0, memory);
                         return success();
                       });
}

static LogicalResult evaluateStore(Program &program, tile::StoreOp op) {
  const Window window =
      Window::at(program.tensor(op.getValue()).shape, getCoordinates(program, op.getIndices()));
  return writeTile(program, op, window);
}

static LogicalResult evaluateScatter(Program &program, tile::ScatterOp op) {
  const int64_t rows = program.view(op.getView()).dimensions[0].size;
  const Window window =
      getWindow(program, program.tensor(op.getValue()).shape, op.getRows(), op.getColumn());
  llvm::SmallSet<int64_t, 32> seen;
  for (int64_t row : window.rows)
    if (row >= 0 && row < rows && !seen.insert(row).second)
      return program.error(op) << "expected distinct row indices inside the view, got " << row
                               << " twice";
  return writeTile(program, op, window);
}

void lora::interpreter::addAccesses(HandlerTable &table) {
  table.add<evaluateGather>();
  table.add<evaluateLoad>();
  table.add<evaluateLoadScalar>();
  table.add<evaluateScatter>();
  table.add<evaluateStore>();
}
