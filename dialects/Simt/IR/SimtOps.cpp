//===- SimtOps.cpp - Verifiers of the simt dialect ------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Simt/Simt.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace lora::simt;

unsigned lora::simt::getAccessBytes(Type type) {
  int64_t elements = 1;
  if (auto vector = dyn_cast<VectorType>(type)) {
    elements = vector.getNumElements();
    type = vector.getElementType();
  }
  unsigned bits = isa<LLVM::LLVMPointerType>(type) ? 64
                  : type.isIntOrFloat()            ? type.getIntOrFloatBitWidth()
                                                   : 0;
  int64_t bytes = elements * bits / 8;
  bool movable = bits >= 8 && (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16);
  return movable ? bytes : 0;
}

static LogicalResult verifyAccess(Operation *op, Type type) {
  if (getAccessBytes(type) == 0)
    return op->emitOpError("expected a value of 1, 2, 4, 8 or 16 bytes, got ") << type;
  return success();
}

LogicalResult LoadOp::verify() {
  if (getHint() != CacheHint::Default &&
      cast<LLVM::LLVMPointerType>(getAddress().getType()).getAddressSpace() != 1)
    return emitOpError("expected a global address with cache hint '")
           << stringifyCacheHint(getHint()) << "', got " << getAddress().getType();
  return verifyAccess(*this, getResult().getType());
}

LogicalResult StoreOp::verify() { return verifyAccess(*this, getValue().getType()); }

LogicalResult CpAsyncOp::verify() {
  if (getBytes() != 4 && getBytes() != 8 && getBytes() != 16)
    return emitOpError("expected 4, 8 or 16 bytes, got ") << getBytes();
  return success();
}

LogicalResult StoreAsyncOp::verify() {
  unsigned bytes = getAccessBytes(getValue().getType());
  if (bytes != 4 && bytes != 8 && bytes != 16)
    return emitOpError("expected a value of 4, 8 or 16 bytes, got ") << getValue().getType();
  return success();
}

LogicalResult BarrierOp::verify() {
  if (bool(getId()) != getThreads().has_value())
    return emitOpError("expected an id and a number of threads, or neither, got only ")
           << (getId() ? "an id" : "a number of threads");
  if (getThreads() && (*getThreads() == 0 || *getThreads() % 32 != 0))
    return emitOpError("expected a positive multiple of 32 threads, got ") << *getThreads();
  return success();
}

LogicalResult MmaOp::verify() {
  auto lhs = cast<VectorType>(getLhs().getType()), rhs = cast<VectorType>(getRhs().getType());
  if (lhs.getElementType() != rhs.getElementType())
    return emitOpError("expected operands of one element type, got ") << lhs << " and " << rhs;
  int64_t expected = lhs.getElementType().isF32() ? 4 : 8;
  if (lhs.getNumElements() != expected || rhs.getNumElements() * 2 != expected)
    return emitOpError("expected ") << expected << " and " << expected / 2
                                    << " operand elements a lane, got " << lhs << " and " << rhs;
  return success();
}

#define GET_OP_CLASSES
#include "Simt/SimtOps.cpp.inc"
