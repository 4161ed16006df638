//===- Window.h - The part of a view that an op accesses ------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "Program.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <algorithm>

namespace lora::interpreter {

/// The coordinates in a view that a tile covers. A tile of rank 1 is one row of a view of rank 1.
struct Window {
  /// One coordinate for each row of the tile.
  llvm::SmallVector<int64_t> rows;
  int64_t firstColumn;
  int64_t columns;
  /// Whether the rows follow each other, as opposed to a gather or scatter.
  bool hasConsecutiveRows;

  static Window at(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> coordinates);
};

/// What an op claims about its access.
struct Facts {
  bool rowsInBounds;
  bool columnsInBounds;
  /// In bytes, see `tile-simplify`; 1 claims nothing.
  int64_t alignment;
};

/// A view of rank 1 or 2 as a matrix, in which a window covers a rectangle.
class Matrix {
public:
  explicit Matrix(const View &view) : view(view) {}

  const View &view;

  bool hasRows() const { return view.dimensions.size() == 2; }
  View::Dimension getRows() const {
    return hasRows() ? view.dimensions[0] : View::Dimension{1, 0, false};
  }
  View::Dimension getColumns() const { return view.dimensions.back(); }

  bool hasRow(int64_t row) const { return !view.isEmpty && row >= 0 && row < getRows().size; }
  /// The columns of the tile that lie inside the view: from the first to before the second.
  std::pair<int64_t, int64_t> getColumnsInside(const Window &window) const {
    return {std::max<int64_t>(0, -window.firstColumn),
            std::min(window.columns, getColumns().size - window.firstColumn)};
  }

  llvm::SmallVector<int64_t, 2> getCoordinates(int64_t row, int64_t column) const {
    if (hasRows())
      return {row, column};
    return {column};
  }
};

/// Finds the memory of elements of a view, one element at a time.
class Cursor {
public:
  Cursor(const Memory &memory, const View &view, bool writes)
      : memory(memory), view(view), bytes(getBytes(view.element)), writes(writes) {}

  /// The memory of an element at an address, or null if it may not be accessed.
  char *find(uint64_t address) {
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

  /// Reports why the element at these coordinates may not be accessed.
  mlir::LogicalResult report(const Program &program, mlir::Operation *op,
                             llvm::ArrayRef<int64_t> coordinates) const;

private:
  const Memory &memory;
  const View &view;
  const Memory::Buffer *buffer = nullptr;
  const uint64_t bytes;
  const bool writes;
};

/// Reports a claim that does not hold.
mlir::LogicalResult checkFacts(const Program &program, mlir::Operation *op, const View &view,
                               const Window &window, const Facts &facts);

/// Calls `body(memory, index)` for each element of the window inside the view, `index` being its
/// place in the tile, in row-major order. Stops at the first failure.
mlir::LogicalResult forEachInside(const Program &program, mlir::Operation *op, const View &view,
                                  const Window &window, bool writes,
                                  llvm::function_ref<mlir::LogicalResult(char *, int64_t)> body);

} // namespace lora::interpreter
