//===- TileDialect.cpp - Registration of the tile dialect -------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include "Tile/TileDialect.cpp.inc"
#include "Tile/TileEnums.cpp.inc"

using namespace mlir;

void lora::tile::TileDialect::initialize() {
  registerTypes();
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "Tile/TileOps.cpp.inc"
      >();
}

LogicalResult lora::tile::TileDialect::verifyOperationAttribute(Operation *op,
                                                                NamedAttribute attribute) {
  if (attribute.getName() != "tile.target" || !isa<StringAttr>(attribute.getValue()))
    return op->emitError("expected 'tile.target' with the name of an architecture, got ")
           << attribute.getName() << " = " << attribute.getValue();
  return success();
}

Operation *lora::tile::TileDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                                        Type type, Location location) {
  return arith::ConstantOp::materialize(builder, value, type, location);
}
