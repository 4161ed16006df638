//===- Accesses.cpp - Interpretation of loads and stores ------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handlers.h"
#include "Tile/Tile.h"

#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace lora;
using namespace lora::interpreter;

namespace {

/// Finds the memory of elements of one view, one element at a time.
class Cursor {
public:
  Cursor(const Memory &memory, const View &view, bool writes)
      : memory(memory), view(view), bytes(getBytes(view.element)), writes(writes) {}

  /// The memory of an element inside the view, or null if it may not be accessed.
  char *find(ArrayRef<int64_t> coordinates) {
    const uint64_t address = view.getAddress(coordinates);
    if (address % bytes != 0)
      return nullptr;
    // Neighbours mostly share a buffer.
    if (!buffer || address - buffer->address > buffer->bytes - bytes) {
      buffer = memory.find(address, bytes);
      if (!buffer)
        return nullptr;
    }
    return writes && !buffer->writable ? nullptr : reinterpret_cast<char *>(address);
  }

  /// Says why `find` gave null for these coordinates.
  LogicalResult report(const Program &program, Operation *op, ArrayRef<int64_t> coordinates) const {
    const uint64_t address = view.getAddress(coordinates);
    InFlightDiagnostic diagnostic = program.error(op)
                                    << (writes ? "writes" : "reads") << " element [";
    llvm::interleaveComma(coordinates.take_front(view.rank), diagnostic);
    diagnostic << "] of a view, " << bytes << " bytes, ";
    const Memory::Buffer *found = memory.find(address, bytes);
    if (!found)
      diagnostic << memory.describe(address) << "; expected them inside one buffer";
    else if (address % bytes != 0)
      diagnostic << "at an address that is " << address % bytes << " modulo " << bytes
                 << " in buffer '" << found->name << "'; expected it aligned to the element";
    else
      diagnostic << "in buffer '" << found->name
                 << "', which is read-only; expected a writable one";
    Diagnostic &note = diagnostic.attachNote(view.origin->getLoc());
    note << "the memory is described here; sizes [";
    llvm::interleaveComma(ArrayRef(view.sizes).take_front(view.rank), note);
    note << "], strides [";
    llvm::interleaveComma(ArrayRef(view.strides).take_front(view.rank), note);
    note << "]";
    return diagnostic;
  }

private:
  const Memory &memory;
  const View &view;
  const Memory::Buffer *buffer = nullptr;
  const uint64_t bytes;
  const bool writes;
};

/// The rectangle of coordinates that a tile covers; a tile of rank 1 is one row of its view.
struct Window {
  SmallVector<int64_t> rows;
  int64_t firstColumn;
  int64_t columns;
};

} // namespace

static Window getWindow(Program &program, ArrayRef<int64_t> shape, ValueRange indices) {
  Window window{{}, program.integer(indices.back()), shape.back()};
  const int64_t firstRow = shape.size() == 1 ? 0 : program.integer(indices[0]);
  const int64_t rows = shape.size() == 1 ? 1 : shape[0];
  for (int64_t i = 0; i != rows; ++i)
    window.rows.push_back(firstRow + i);
  return window;
}

static Window getWindow(Program &program, ArrayRef<int64_t> shape, Value rows, Value column) {
  ArrayRef<int64_t> indices = program.tensor(rows).ints;
  return {SmallVector<int64_t>(indices), program.integer(column), shape[1]};
}

/// Calls `body(memory, index)` for each element of the window inside the view, `index` being its
/// place in the tile. Checks the `in_bounds` facts of the op.
template <typename AccessOp>
static LogicalResult forEachInside(Program &program, AccessOp op, const View &view,
                                   const Window &window, bool writes,
                                   function_ref<LogicalResult(char *, int64_t)> body) {
  const bool isMatrix = view.rank == 2;
  const int64_t viewRows = isMatrix ? view.sizes[0] : 1;
  const int64_t viewColumns = view.sizes[isMatrix ? 1 : 0];
  const int64_t begin = std::max<int64_t>(0, -window.firstColumn);
  const int64_t end = std::min(window.columns, viewColumns - window.firstColumn);
  if (op.isInBounds(isMatrix ? 1 : 0) && (begin != 0 || end != window.columns))
    return program.error(op) << "claims to be in bounds in dimension " << (isMatrix ? 1 : 0)
                             << ", but covers " << window.firstColumn << " to "
                             << window.firstColumn + window.columns - 1 << " of a size of "
                             << viewColumns;
  const bool rowsInBounds = isMatrix && op.isInBounds(0);
  Cursor cursor(program.launch.memory, view, writes);
  for (auto [i, row] : llvm::enumerate(window.rows)) {
    if (row < 0 || row >= viewRows) {
      if (rowsInBounds)
        return program.error(op) << "claims to be in bounds in dimension 0, but covers row " << row
                                 << " of a size of " << viewRows;
      continue;
    }
    for (int64_t j = begin; j < end; ++j) {
      const int64_t column = window.firstColumn + j;
      const std::array<int64_t, 2> coordinates =
          isMatrix ? std::array{static_cast<int64_t>(row), column} : std::array<int64_t, 2>{column};
      char *memory = cursor.find(coordinates);
      if (!memory)
        return cursor.report(program, op, coordinates);
      if (failed(body(memory, i * window.columns + j)))
        return failure();
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Reads
//===----------------------------------------------------------------------===//

static LogicalResult evaluateLoadScalar(Program &program, tile::LoadScalarOp op) {
  const View &view = program.view(op.getView());
  SmallVector<int64_t, 3> coordinates;
  for (Value index : op.getIndices())
    coordinates.push_back(program.integer(index));
  Tensor result(op.getType());
  if (view.contains(coordinates)) {
    Cursor cursor(program.launch.memory, view, /*writes=*/false);
    char *memory = cursor.find(coordinates);
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
  if (failed(forEachInside(program, op, view, window, /*writes=*/false,
                           [&](char *memory, int64_t index) {
                             result.read(index, memory);
                             return success();
                           })))
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
  Window window = getWindow(program, result.shape, op.getIndices());
  return readTile(program, op, window, std::move(result));
}

static LogicalResult evaluateGather(Program &program, tile::GatherOp op) {
  Tensor result(op.getType());
  Window window = getWindow(program, result.shape, op.getRows(), op.getColumn());
  return readTile(program, op, window, std::move(result));
}

//===----------------------------------------------------------------------===//
// Writes
//===----------------------------------------------------------------------===//

/// Notes that a program accumulates to an element; an error if another one has.
static LogicalResult claim(Program &program, Operation *op, char *memory) {
  Launch &launch = program.launch;
  const int64_t self = launch.linearize(program.id);
  const int64_t owner =
      launch.accumulated.try_emplace(reinterpret_cast<uint64_t>(memory), self).first->second;
  if (owner == self)
    return success();
  return program.error(op) << "accumulates to an element that program (" << owner % launch.grid[0]
                           << ", " << owner / launch.grid[0] % launch.grid[1] << ", "
                           << owner / launch.grid[0] / launch.grid[1]
                           << ") has accumulated to; expected one program an element";
}

template <typename AccessOp>
static LogicalResult writeTile(Program &program, AccessOp op, const Window &window) {
  const View &view = program.view(op.getView());
  const Tensor &value = program.tensor(op.getValue());
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
  Window window = getWindow(program, program.tensor(op.getValue()).shape, op.getIndices());
  return writeTile(program, op, window);
}

static LogicalResult evaluateScatter(Program &program, tile::ScatterOp op) {
  const View &view = program.view(op.getView());
  Window window =
      getWindow(program, program.tensor(op.getValue()).shape, op.getRows(), op.getColumn());
  llvm::SmallSet<int64_t, 32> seen;
  for (int64_t row : window.rows)
    if (row >= 0 && row < view.sizes[0] && !seen.insert(row).second)
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
