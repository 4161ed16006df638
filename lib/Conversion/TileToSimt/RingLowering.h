//===- RingLowering.h - Operands through a ring in shared memory ---------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "KernelLowering.h"

namespace lora {

/// Loads the operands of a sum's dot ahead of their use: asynchronous copies fill a ring of
/// `stages` buffers, and the fragments are read from the oldest. Each group of warps that works on
/// the same part of the reduced dimension has a ring of its own and synchronises alone.
///
/// Inactive, and then without any effect, unless the schedule of the sum asks for it.
class RingLowering {
public:
  RingLowering(KernelLowering &lowering, tile::SumOp sum, const KernelLowering::Range &range);

  bool isActive() const { return !operands.empty(); }

  /// Starts those copies of the first blocks that need not wait for the kernel before this one. No
  /// other phase of shared memory may begin before the loop.
  void open();
  /// Before the loop: starts the other copies of the first blocks. Does nothing when called again.
  void begin();
  /// At the start of the loop body: waits for block `k`, starts the copies of the block that is
  /// `stages - 1` further, and binds the operands of block `k`.
  void step(mlir::Value k, mlir::Value slot);
  mlir::Value nextSlot(mlir::Value slot);
  /// Behind the loop: waits for the copies that no block needed.
  void end();

private:
  /// One operand: the load that copies it and the conversion that reads it back.
  struct Operand {
    mlir::Operation *load;
    tile::ConvertLayoutOp read;
    SharedTile tile;
    int64_t offset; ///< Of the operand in a buffer, in bytes.
  };

  enum class Part { Early, Late, All };
  void place();
  void copyBlock(mlir::Value k, mlir::Value slot, Part part);
  void copyFirstBlocks(Part part);
  bool isIn(Part part, const Operand &operand);
  void copyOperand(const Operand &operand, mlir::Value buffer, mlir::Value needed);
  void synchronise();
  mlir::Value bufferOf(mlir::Value slot);

  KernelLowering &l;
  tile::SumOp sum;
  KernelLowering::Range range;
  llvm::SmallVector<Operand> operands;
  int64_t bufferBytes = 0;
  int stages, warpsK, groupWarps;
  mlir::Value group; ///< i32, which part of the reduced dimension this warp works on.
  mlir::Value ring;  ///< The ring of this thread's group.
  bool opened = false, begun = false;
};

} // namespace lora
