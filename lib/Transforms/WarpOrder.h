//===- WarpOrder.h - Which operand of a product many warps may read ---------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "Tile/Tile.h"
#include "lora/Layout/MmaLayouts.h"

namespace lora {

/// Operands that pass through shared memory cost what is read from there. Of those that go straight
/// from global memory to registers, that of the weights comes in ever new columns, so that warps
/// share the rows first; unless these are kept in shared memory, where any warp may read them.
inline WarpOrder warpOrder(tile::DotOp dot, tile::OperandPath path) {
  if (path == tile::OperandPath::Shared)
    return WarpOrder::LeastTraffic;
  bool isKept = llvm::isa_and_present<tile::SliceOp>(dot.getLhs().getDefiningOp());
  return isKept ? WarpOrder::ColumnsFirst : WarpOrder::RowsFirst;
}

} // namespace lora
