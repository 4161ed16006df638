//===- Simt.h - The simt dialect ------------------------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "Simt/SimtDialect.h.inc"
#include "Simt/SimtEnums.h.inc"

namespace lora::simt {

/// Width in bytes of a value that a load or store moves, or 0 for a type that none moves.
unsigned getAccessBytes(mlir::Type type);

} // namespace lora::simt

#define GET_OP_CLASSES
#include "Simt/SimtOps.h.inc"
