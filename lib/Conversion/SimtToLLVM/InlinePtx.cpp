//===- InlinePtx.cpp - PTX for ops that LLVM has none for ----------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InlinePtx.h"

using namespace mlir;
using namespace lora;

LLVM::InlineAsmOp lora::inlinePtx(OpBuilder &builder, Location loc, Type result,
                                  ValueRange operands, const Twine &text, StringRef constraints,
                                  bool sideEffects) {
  return LLVM::InlineAsmOp::create(builder, loc, result ? TypeRange(result) : TypeRange(), operands,
                                   text.str(), constraints, sideEffects, /*is_align_stack=*/false,
                                   LLVM::tailcallkind::TailCallKind::None, LLVM::AsmDialectAttr(),
                                   ArrayAttr());
}

Words::Words(unsigned bytes)
    : Words(bytes == 16  ? 4
            : bytes == 8 ? 2
                         : 1,
            bytes >= 4 ? 32 : 8 * bytes) {}

std::string Words::operands(int first) const {
  std::string text;
  for (int i = 0; i != count; ++i)
    text += (i ? ", $" : "$") + std::to_string(first + i);
  return count == 1 ? text : "{" + text + "}";
}

static Value bitcast(OpBuilder &builder, Location loc, Type type, Value value) {
  return value.getType() == type ? value : LLVM::BitcastOp::create(builder, loc, type, value);
}

SmallVector<Value> lora::toWords(OpBuilder &builder, Location loc, Value value, Words words) {
  Type word = builder.getIntegerType(words.bits);
  if (isa<LLVM::LLVMPointerType>(value.getType()))
    value = LLVM::PtrToIntOp::create(builder, loc, builder.getI64Type(), value);
  if (words.count == 1) {
    value = bitcast(builder, loc, word, value);
    if (words.bits == 8)
      value = LLVM::ZExtOp::create(builder, loc, builder.getI16Type(), value);
    return {value};
  }
  value = bitcast(builder, loc, VectorType::get(words.count, word), value);
  SmallVector<Value> result;
  for (int i = 0; i != words.count; ++i) {
    Value index = LLVM::ConstantOp::create(builder, loc, builder.getI32Type(), i);
    result.push_back(LLVM::ExtractElementOp::create(builder, loc, value, index));
  }
  return result;
}

Value lora::fromWords(OpBuilder &builder, Location loc, Type type, Value result, Words words) {
  Type word = builder.getIntegerType(words.bits);
  Value value = result;
  if (words.count > 1) {
    value = LLVM::PoisonOp::create(builder, loc, VectorType::get(words.count, word));
    for (int i = 0; i != words.count; ++i) {
      Value index = LLVM::ConstantOp::create(builder, loc, builder.getI32Type(), i);
      Value part = LLVM::ExtractValueOp::create(builder, loc, result, i);
      value = LLVM::InsertElementOp::create(builder, loc, value, part, index);
    }
  } else if (words.bits == 8) {
    value = LLVM::TruncOp::create(builder, loc, word, value);
  }
  if (isa<LLVM::LLVMPointerType>(type)) {
    value = bitcast(builder, loc, builder.getI64Type(), value);
    return LLVM::IntToPtrOp::create(builder, loc, type, value);
  }
  return bitcast(builder, loc, type, value);
}

AddressSpace lora::spaceOf(Value pointer) {
  switch (cast<LLVM::LLVMPointerType>(pointer.getType()).getAddressSpace()) {
  case 1:
    return {"global", "l", true};
  case 3:
    return {"shared", "r", true};
  default:
    return {"shared::cluster", "r", false};
  }
}

Value lora::toAddress(OpBuilder &builder, Location loc, Value pointer) {
  auto type = cast<LLVM::LLVMPointerType>(pointer.getType());
  if (type.getAddressSpace() == 1)
    return pointer;
  return LLVM::PtrToIntOp::create(builder, loc, builder.getI32Type(), pointer);
}

std::string lora::guardOn(Value predicate, SmallVectorImpl<Value> &operands,
                          std::string &constraints) {
  if (!predicate)
    return "";
  constraints += ",b";
  operands.push_back(predicate);
  return "@$" + std::to_string(operands.size() - 1) + " ";
}
