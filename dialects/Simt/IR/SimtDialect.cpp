//===- SimtDialect.cpp - Registration of the simt dialect -----------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Simt/Simt.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include "Simt/SimtDialect.cpp.inc"
#include "Simt/SimtEnums.cpp.inc"

void lora::simt::SimtDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "Simt/SimtOps.cpp.inc"
      >();
}
