//===- LayoutAttributes.h - Layouts as attributes ---------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "Tile/Tile.h"
#include "lora/Layout/Layout.h"

namespace lora {

tile::LayoutAttr toAttribute(mlir::MLIRContext *context, const Layout &layout);
Layout fromAttribute(tile::LayoutAttr attribute);

/// The layout of a tile that has one.
Layout getLayoutOf(mlir::Type tile);

} // namespace lora
