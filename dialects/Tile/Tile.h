//===- Tile.h - The tile dialect ------------------------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace lora::tile {

/// Whether a type is a tile: a tensor of rank 1 or 2 of a scalar type or a type parameter, whose
/// sizes are powers of two or, before specialisation, extents of a `#tile.shape`.
bool isTile(mlir::Type type);

/// The layout of a tile, or null before `tile-assign-layouts`.
class LayoutAttr;
LayoutAttr getLayout(mlir::Type type);

/// The type with `layout` as its encoding.
mlir::RankedTensorType withLayout(mlir::Type type, LayoutAttr layout);

/// The shape of a tile as extents: integers, or expressions before specialisation.
llvm::SmallVector<mlir::Attribute> getExtents(mlir::RankedTensorType type);

/// Width in bytes of a value of an element type in memory. Pointers take eight.
unsigned getElementBytes(mlir::Type elementType);

} // namespace lora::tile

#include "Tile/TileDialect.h.inc"
#include "Tile/TileEnums.h.inc"

#define GET_TYPEDEF_CLASSES
#include "Tile/TileTypes.h.inc"

#define GET_ATTRDEF_CLASSES
#include "Tile/TileAttrs.h.inc"

#define GET_OP_CLASSES
#include "Tile/TileOps.h.inc"
