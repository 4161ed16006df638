//===- SharedMemory.h - The shared memory of a block ---------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "ThreadCoordinates.h"

#include "mlir/IR/Builders.h"

namespace lora {

/// Whether code at a place may run more than once: whether it is in a loop.
bool isRepeated(mlir::OpBuilder &builder);

/// Plans the one dynamic shared buffer of a kernel. A use that no other block takes part in is a
/// phase: all phases lie at the beginning of the buffer, since barriers separate them. Reserved
/// places follow behind the phases and are nobody else's.
class SharedMemory {
public:
  /// Begins a phase of `bytes` bytes at offset 0, behind a barrier of the block unless nothing can
  /// have used the buffer before.
  mlir::Value beginPhase(mlir::OpBuilder &builder, mlir::Location loc, int64_t bytes);

  /// A place of its own. Its address is known once `finish` has run.
  mlir::Value reserve(mlir::OpBuilder &builder, mlir::Location loc, int64_t bytes);

  /// Places what was reserved. Returns the size of the buffer in bytes.
  int64_t finish();

private:
  struct Reserved {
    mlir::Operation *address;
    int64_t bytes;
  };

  int64_t largestPhase = 0;
  bool begun = false;
  llvm::SmallVector<Reserved> reserved;
};

/// A tile in shared memory. The elements along `contiguous` follow each other; where such a row is
/// a multiple of 128 bytes, the halves of each 128 bytes of odd rows are swapped, so that two
/// neighbouring rows read as fragments use different banks.
class SharedTile {
public:
  /// What is swapped in odd rows are halves of units of this many bytes: all banks once.
  static constexpr int64_t kBankBytes = 128;

  SharedTile(llvm::ArrayRef<int64_t> shape, mlir::Type element, int contiguous);

  int64_t bytes() const;

  /// The most elements that a layout lets a thread move at once.
  int accessWidth(const Layout &layout) const;

  /// Address of the elements that a thread holds from register `reg` on.
  mlir::Value address(mlir::OpBuilder &builder, mlir::Location loc, ThreadCoordinates &threads,
                      mlir::Value base, const Layout &layout, int reg) const;

  /// Writes a thread's elements; of those that several threads hold, one does. With an mbarrier,
  /// which lies in the block that `base` lies in, it counts the bytes.
  void store(mlir::OpBuilder &builder, mlir::Location loc, ThreadCoordinates &threads,
             mlir::Value base, const Layout &layout, mlir::ValueRange values, int apart = 0,
             mlir::Value mbarrier = {}) const;

  /// Reads a thread's elements.
  llvm::SmallVector<mlir::Value> load(mlir::OpBuilder &builder, mlir::Location loc,
                                      ThreadCoordinates &threads, mlir::Value base,
                                      const Layout &layout) const;

private:
  llvm::SmallVector<int64_t, 2> shape;
  mlir::Type element;
  int contiguous;
  int64_t elementBytes;
};

/// A vector of the values, or the single value.
mlir::Value packVector(mlir::OpBuilder &builder, mlir::Location loc, mlir::ValueRange values);
/// The elements of a vector, or the scalar itself.
void unpackVector(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value vector,
                  llvm::SmallVectorImpl<mlir::Value> &elements);
/// `vector<width x element>`, or the element type for a width of 1.
mlir::Type vectorOf(mlir::Type element, int width);

} // namespace lora
