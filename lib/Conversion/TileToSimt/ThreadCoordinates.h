//===- ThreadCoordinates.h - Where in a tile a thread is --------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "lora/Layout/Layout.h"

#include "mlir/IR/Builders.h"

namespace lora {

/// Emits, at the entry of a kernel, what a thread's number says about its place in tiles.
class ThreadCoordinates {
public:
  /// `builder` stands at the entry of the function.
  ThreadCoordinates(mlir::OpBuilder builder, mlir::Location loc);

  mlir::Value thread() const { return threadId; } ///< i32, in the block.
  mlir::Value lane() const { return laneId; }     ///< i32, in the warp.
  mlir::Value warp() const { return warpId; }     ///< i32, in the block.

  /// What lane and warp contribute to the coordinate along `dimension`, i32.
  mlir::Value base(const Layout &layout, int dimension);

  /// Whether this thread is the one, among those that hold the same elements, that stores them;
  /// null when no two do. The last `apart` warp bits are not counted as sharing.
  mlir::Value isOwner(const Layout &layout, int apart = 0);

private:
  mlir::Value bits(mlir::Value number, const std::vector<Basis> &bases, int dimension);
  mlir::Value constant(int32_t value);

  mlir::OpBuilder builder;
  mlir::Location loc;
  mlir::Value threadId, laneId, warpId;
};

} // namespace lora
