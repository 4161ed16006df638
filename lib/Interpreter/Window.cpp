//===- Window.cpp - The part of a view that an op accesses ----------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Window.h"

using namespace mlir;
using namespace lora::interpreter;

Window Window::at(ArrayRef<int64_t> shape, ArrayRef<int64_t> coordinates) {
  Window window{{}, coordinates.back(), shape.back(), /*hasConsecutiveRows=*/true};
  const bool isMatrix = shape.size() == 2;
  for (int64_t i = 0, rows = isMatrix ? shape[0] : 1; i != rows; ++i)
    window.rows.push_back(isMatrix ? coordinates[0] + i : 0);
  return window;
}

LogicalResult Cursor::report(const Program &program, Operation *op,
                             ArrayRef<int64_t> coordinates) const {
  const uint64_t address = view.getAddress(coordinates);
  InFlightDiagnostic diagnostic = program.error(op)
                                  << (writes ? "writes" : "reads") << " element [";
  llvm::interleaveComma(coordinates, diagnostic);
  diagnostic << "] of a view, " << bytes << " bytes, ";
  const Memory::Buffer *found = memory.find(address, bytes);
  if (!found)
    diagnostic << memory.describe(address) << "; expected them inside one buffer";
  else if (address % bytes != 0)
    diagnostic << "at an address that is " << address % bytes << " modulo " << bytes
               << " in buffer '" << found->name << "'; expected it aligned to the element";
  else
    diagnostic << "in buffer '" << found->name << "', which is read-only; expected a writable one";
  Diagnostic &note = diagnostic.attachNote(view.origin->getLoc());
  note << "the memory is described here; the view has sizes [";
  llvm::interleaveComma(view.dimensions, note,
                        [&](const View::Dimension &dimension) { note << dimension.size; });
  note << "] and strides [";
  llvm::interleaveComma(view.dimensions, note,
                        [&](const View::Dimension &dimension) { note << dimension.stride; });
  note << "]";
  return diagnostic;
}

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

static LogicalResult checkInBounds(const Program &program, Operation *op, const Matrix &matrix,
                                   const Window &window, const Facts &facts) {
  if (facts.rowsInBounds && matrix.hasRows())
    for (int64_t row : window.rows)
      if (row < 0 || row >= matrix.getRows().size)
        return program.error(op) << "claims to be in bounds in dimension 0, but covers row " << row
                                 << " of a view with " << matrix.getRows().size;
  const int64_t end = window.firstColumn + window.columns;
  if (facts.columnsInBounds && (window.firstColumn < 0 || end > matrix.getColumns().size))
    return program.error(op) << "claims to be in bounds in dimension " << matrix.hasRows()
                             << ", but covers columns " << window.firstColumn << " to " << end - 1
                             << " of a view with " << matrix.getColumns().size;
  return success();
}

/// Along the contiguous dimension, elements come in groups as wide as the alignment. Each group
/// begins at a multiple of the alignment, and the end of the view splits none.
static LogicalResult checkAlignment(const Program &program, Operation *op, const Matrix &matrix,
                                    const Window &window, int64_t alignment) {
  const bool alongRows = matrix.hasRows() && matrix.getRows().isContiguous;
  const bool alongColumns = !alongRows && matrix.getColumns().isContiguous;
  const int64_t elements = alignment / getBytes(matrix.view.element);
  if (elements <= 1 || (alongRows ? !window.hasConsecutiveRows : !alongColumns))
    return success();

  const int64_t rows = window.rows.size();
  const int64_t group = std::min(elements, alongRows ? rows : window.columns);
  const auto [begin, end] = matrix.getColumnsInside(window);
  const auto isInside = [&](int64_t i, int64_t j) {
    return matrix.hasRow(window.rows[i]) && j >= begin && j < end;
  };
  for (int64_t i = 0; i < rows; i += alongRows ? group : 1)
    for (int64_t j = 0; j < window.columns; j += alongRows ? 1 : group) {
      const int64_t lastI = alongRows ? std::min(i + group, rows) - 1 : i;
      const int64_t lastJ = alongRows ? j : std::min(j + group, window.columns) - 1;
      if (isInside(i, j) != isInside(lastI, lastJ))
        return program.error(op) << "claims an alignment of " << alignment
                                 << " bytes, but the edge of the view cuts the group of " << group
                                 << " elements from row " << window.rows[i] << ", column "
                                 << window.firstColumn + j << " on";
      const uint64_t address =
          matrix.view.getAddress(matrix.getCoordinates(window.rows[i], window.firstColumn + j));
      if (isInside(i, j) && address % alignment != 0)
        return program.error(op) << "claims an alignment of " << alignment
                                 << " bytes, but the address at row " << window.rows[i]
                                 << ", column " << window.firstColumn + j << " is "
                                 << address % alignment << " modulo it";
    }
  return success();
}

LogicalResult lora::interpreter::checkFacts(const Program &program, Operation *op, const View &view,
                                            const Window &window, const Facts &facts) {
  const Matrix matrix(view);
  if (failed(checkInBounds(program, op, matrix, window, facts)))
    return failure();
  return checkAlignment(program, op, matrix, window, facts.alignment);
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

LogicalResult lora::interpreter::forEachInside(const Program &program, Operation *op,
                                               const View &view, const Window &window, bool writes,
                                               function_ref<LogicalResult(char *, int64_t)> body) {
  const Matrix matrix(view);
  const auto [begin, end] = matrix.getColumnsInside(window);
  const uint64_t columnBytes =
      static_cast<uint64_t>(matrix.getColumns().stride) * getBytes(view.element);
  Cursor cursor(program.launch.memory, view, writes);
  for (auto [i, row] : llvm::enumerate(window.rows)) {
    if (begin >= end || !matrix.hasRow(row))
      continue;
    const uint64_t rowAddress = view.getAddress(matrix.getCoordinates(row, window.firstColumn));
    for (int64_t j = begin; j < end; ++j) {
      char *memory = cursor.find(rowAddress + j * columnBytes);
      if (!memory)
        return cursor.report(program, op, matrix.getCoordinates(row, window.firstColumn + j));
      if (failed(body(memory, i * window.columns + j)))
        return failure();
    }
  }
  return success();
}
