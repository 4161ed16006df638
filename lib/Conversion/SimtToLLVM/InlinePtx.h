//===- InlinePtx.h - PTX for ops that LLVM has none for ------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Transforms/DialectConversion.h"

namespace lora {

/// One or more lines of PTX with LLVM's operand constraints. `result` may be null.
mlir::LLVM::InlineAsmOp inlinePtx(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type result,
                                  mlir::ValueRange operands, const llvm::Twine &text,
                                  llvm::StringRef constraints, bool sideEffects);

/// How PTX moves a value of so many bytes: as words of 1, 2 or 4 bytes.
struct Words {
  int count, bits;

  explicit Words(unsigned bytes);
  Words(int count, int bits) : count(count), bits(bits) {}

  std::string suffix() const {
    return (count == 1 ? "" : ".v" + std::to_string(count)) + ".b" + std::to_string(bits);
  }
  char constraint() const { return bits == 16 || bits == 8 ? 'h' : 'r'; }
  mlir::Type type(mlir::OpBuilder &builder) const {
    return builder.getIntegerType(std::max(bits, 16));
  }
  /// `{$0, $1}` or `$0`, from operand number `first` on.
  std::string operands(int first) const;
};

/// Splits a value into the integers that PTX moves.
llvm::SmallVector<mlir::Value> toWords(mlir::OpBuilder &builder, mlir::Location loc,
                                       mlir::Value value, Words words);

/// Puts a value together from what an inline PTX with `words` results gives.
mlir::Value fromWords(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type,
                      mlir::Value result, Words words);

/// What PTX needs to know of the address space of a pointer.
struct AddressSpace {
  std::string name, constraint;
  bool isPlain; ///< Whether LLVM's own loads and stores know it.
};
AddressSpace spaceOf(mlir::Value pointer);

/// The operand that inline PTX takes for an address.
mlir::Value toAddress(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value pointer);

/// What makes a line of PTX conditional, "@$2 ", or "" without a predicate, which may be null;
/// appends it to the operands and constraints so far.
std::string guardOn(mlir::Value predicate, llvm::SmallVectorImpl<mlir::Value> &operands,
                    std::string &constraints);

/// An op without operands that is one line of PTX.
template <typename Op> struct FixedPtxPattern : mlir::ConvertOpToLLVMPattern<Op> {
  FixedPtxPattern(const mlir::LLVMTypeConverter &converter, llvm::StringRef text)
      : mlir::ConvertOpToLLVMPattern<Op>(converter), text(text) {}
  mlir::LogicalResult matchAndRewrite(Op op, typename Op::Adaptor,
                                      mlir::ConversionPatternRewriter &rewriter) const override {
    inlinePtx(rewriter, op.getLoc(), {}, {}, text, "~{memory}", true);
    rewriter.eraseOp(op);
    return mlir::success();
  }
  llvm::StringRef text;
};

/// Patterns for peers, cluster barriers and mbarriers.
void populateClusterPatterns(const mlir::LLVMTypeConverter &converter,
                             mlir::RewritePatternSet &patterns);

} // namespace lora
