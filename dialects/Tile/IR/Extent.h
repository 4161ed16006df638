//===- Extent.h - Parsing and printing of extents ---------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "mlir/IR/OpImplementation.h"

namespace lora::tile {

/// An extent in assembly is an integer, a parameter's name, or an expression in quotes. `extent`
/// becomes an i64 IntegerAttr or a StringAttr.
mlir::ParseResult parseExtent(mlir::AsmParser &parser, mlir::Attribute &extent);
void printExtent(mlir::AsmPrinter &printer, mlir::Attribute extent);

/// The forms that `custom<Extent>` of an assembly format calls.
inline void printExtent(mlir::OpAsmPrinter &printer, mlir::Operation *, mlir::Attribute extent) {
  printExtent(printer, extent);
}

} // namespace lora::tile
