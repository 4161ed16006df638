//===- SimtPatterns.cpp - Simt ops as calls of the runtime ----------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostContext.h"
#include "HostLowering.h"

#include "Simt/Simt.h"

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace lora::emulator {

static LLVM::LLVMFuncOp hostFunction(OpBuilder &builder) {
  Operation *parent = builder.getInsertionBlock()->getParentOp();
  auto function = dyn_cast<LLVM::LLVMFuncOp>(parent);
  return function ? function : parent->getParentOfType<LLVM::LLVMFuncOp>();
}

Value callRuntime(OpBuilder &builder, Location location, StringRef name, ValueRange arguments) {
  LLVM::LLVMFuncOp kernel = hostFunction(builder);
  auto callee =
      SymbolTable::lookupNearestSymbolFrom<LLVM::LLVMFuncOp>(kernel, builder.getStringAttr(name));
  SmallVector<Value> operands = {kernel.getArgument(0)};
  llvm::append_range(operands, arguments);
  auto call = LLVM::CallOp::create(builder, location, callee, operands);
  return call.getNumResults() == 1 ? call.getResult() : Value();
}

static Value constantI32(OpBuilder &builder, Location location, uint32_t value) {
  return LLVM::ConstantOp::create(builder, location, builder.getI32Type(),
                                  builder.getI32IntegerAttr(static_cast<int32_t>(value)));
}

static Value contextField(OpBuilder &builder, Location location, unsigned offset) {
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  return LLVM::GEPOp::create(builder, location, pointer, builder.getI8Type(),
                             hostFunction(builder).getArgument(0),
                             LLVM::GEPArg(static_cast<int32_t>(offset)));
}

static Value loadScratch(OpBuilder &builder, Location location, Type type, unsigned offset = 0) {
  Value from = contextField(builder, location, offsetof(HostContext, scratch) + offset);
  return LLVM::LoadOp::create(builder, location, type, from, 8);
}

static void storeScratch(OpBuilder &builder, Location location, Value value, unsigned offset = 0) {
  Value to = contextField(builder, location, offsetof(HostContext, scratch) + offset);
  LLVM::StoreOp::create(builder, location, value, to, 8);
}

namespace {

/// A pattern for one op, with what all of them need: the call of the op's runtime function.
template <typename SourceOp> class CallPattern : public OpConversionPattern<SourceOp> {
public:
  CallPattern(const TypeConverter &converter, MLIRContext *context, StringRef callee)
      : OpConversionPattern<SourceOp>(converter, context), callee(callee) {}

protected:
  Value call(OpBuilder &builder, SourceOp op, ValueRange operands) const {
    SmallVector<Value> arguments = {constantI32(builder, op.getLoc(), opIndex(op))};
    llvm::append_range(arguments, operands);
    return callRuntime(builder, op.getLoc(), callee, arguments);
  }

  /// An optional i1 as an i32.
  Value predicate(OpBuilder &builder, Location location, Value value) const {
    if (!value)
      return constantI32(builder, location, 1);
    return LLVM::ZExtOp::create(builder, location, builder.getI32Type(), value);
  }

private:
  StringRef callee;
};

/// An op without operands and results.
template <typename SourceOp> struct PlainPattern : CallPattern<SourceOp> {
  using CallPattern<SourceOp>::CallPattern;
  LogicalResult matchAndRewrite(SourceOp op, typename SourceOp::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    this->call(rewriter, op, {});
    rewriter.eraseOp(op);
    return success();
  }
};

/// An op that only concerns other launches.
template <typename SourceOp> struct ErasePattern : OpConversionPattern<SourceOp> {
  using OpConversionPattern<SourceOp>::OpConversionPattern;
  LogicalResult matchAndRewrite(SourceOp op, typename SourceOp::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.eraseOp(op);
    return success();
  }
};

struct LoadPattern : CallPattern<simt::LoadOp> {
  using CallPattern::CallPattern;
  LogicalResult matchAndRewrite(simt::LoadOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Type type = getTypeConverter()->convertType(op.getResult().getType());
    if (!type)
      return rewriter.notifyMatchFailure(op, "the result has no host type");
    call(rewriter, op,
         {adaptor.getAddress(), predicate(rewriter, op.getLoc(), adaptor.getPredicate())});
    rewriter.replaceOp(op, loadScratch(rewriter, op.getLoc(), type));
    return success();
  }
};

struct StorePattern : CallPattern<simt::StoreOp> {
  using CallPattern::CallPattern;
  LogicalResult matchAndRewrite(simt::StoreOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    storeScratch(rewriter, op.getLoc(), adaptor.getValue());
    call(rewriter, op,
         {adaptor.getAddress(), predicate(rewriter, op.getLoc(), adaptor.getPredicate())});
    rewriter.eraseOp(op);
    return success();
  }
};

struct AtomicAddPattern : CallPattern<simt::AtomicAddOp> {
  using CallPattern::CallPattern;
  LogicalResult matchAndRewrite(simt::AtomicAddOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, call(rewriter, op, {adaptor.getAddress(), adaptor.getValue()}));
    return success();
  }
};

struct CpAsyncPattern : CallPattern<simt::CpAsyncOp> {
  using CallPattern::CallPattern;
  LogicalResult matchAndRewrite(simt::CpAsyncOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    call(rewriter, op,
         {adaptor.getDestination(), adaptor.getSource(),
          predicate(rewriter, op.getLoc(), adaptor.getPredicate())});
    rewriter.eraseOp(op);
    return success();
  }
};

struct PeerPattern : CallPattern<simt::PeerOp> {
  using CallPattern::CallPattern;
  LogicalResult matchAndRewrite(simt::PeerOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, call(rewriter, op, {adaptor.getAddress(), adaptor.getRank()}));
    return success();
  }
};

struct BarrierPattern : CallPattern<simt::BarrierOp> {
  using CallPattern::CallPattern;
  LogicalResult matchAndRewrite(simt::BarrierOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Value id = adaptor.getId() ? adaptor.getId() : constantI32(rewriter, op.getLoc(), 0);
    call(rewriter, op, id);
    rewriter.eraseOp(op);
    return success();
  }
};

struct MbarrierInitPattern : CallPattern<simt::MbarrierInitOp> {
  using CallPattern::CallPattern;
  LogicalResult matchAndRewrite(simt::MbarrierInitOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    call(rewriter, op,
         {adaptor.getAddress(), predicate(rewriter, op.getLoc(), adaptor.getPredicate())});
    rewriter.eraseOp(op);
    return success();
  }
};

struct StoreAsyncPattern : CallPattern<simt::StoreAsyncOp> {
  using CallPattern::CallPattern;
  LogicalResult matchAndRewrite(simt::StoreAsyncOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    storeScratch(rewriter, op.getLoc(), adaptor.getValue());
    call(rewriter, op,
         {adaptor.getAddress(), adaptor.getMbarrier(),
          predicate(rewriter, op.getLoc(), adaptor.getPredicate())});
    rewriter.eraseOp(op);
    return success();
  }
};

struct MbarrierWaitPattern : CallPattern<simt::MbarrierWaitOp> {
  using CallPattern::CallPattern;
  LogicalResult matchAndRewrite(simt::MbarrierWaitOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    call(rewriter, op, adaptor.getAddress());
    rewriter.eraseOp(op);
    return success();
  }
};

struct MmaPattern : CallPattern<simt::MmaOp> {
  using CallPattern::CallPattern;
  LogicalResult matchAndRewrite(simt::MmaOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    storeScratch(rewriter, op.getLoc(), adaptor.getLhs(), mmaLhsOffset);
    storeScratch(rewriter, op.getLoc(), adaptor.getRhs(), mmaRhsOffset);
    storeScratch(rewriter, op.getLoc(), adaptor.getAccumulator(), mmaAccumulatorOffset);
    call(rewriter, op, {});
    Type type = getTypeConverter()->convertType(op.getResult().getType());
    rewriter.replaceOp(op, loadScratch(rewriter, op.getLoc(), type, mmaResultOffset));
    return success();
  }
};

/// Shared pointers are byte offsets on the host: their type says which memory they belong to. Those
/// of peers have the rank of the block above that.
struct SharedPattern : OpConversionPattern<simt::SharedOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(simt::SharedOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Value offset = constantI32(rewriter, op.getLoc(), op.getOffset());
    rewriter.replaceOpWithNewOp<LLVM::IntToPtrOp>(op, LLVM::LLVMPointerType::get(op.getContext()),
                                                  offset);
    return success();
  }
};

struct SpecialRegisterPattern : ConversionPattern {
  SpecialRegisterPattern(const TypeConverter &converter, MLIRContext *context)
      : ConversionPattern(converter, MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                                ConversionPatternRewriter &rewriter) const override {
    const auto *found = llvm::find(specialRegisters, op->getName().getStringRef());
    if (found == std::end(specialRegisters))
      return failure();
    auto index = static_cast<unsigned>(found - std::begin(specialRegisters));
    Value field = contextField(rewriter, op->getLoc(),
                               offsetof(HostContext, registers) + index * sizeof(uint32_t));
    rewriter.replaceOpWithNewOp<LLVM::LoadOp>(op, rewriter.getI32Type(), field, 4,
                                              /*isVolatile=*/false, /*isNonTemporal=*/false,
                                              /*isInvariant=*/true);
    return success();
  }
};

/// Gives an op of the LLVM dialect host types. Address arithmetic loses its no-wrap flags, which
/// promise things of GPU objects that the host's optimiser must not apply to offsets.
struct RetypePattern : ConversionPattern {
  RetypePattern(const TypeConverter &converter, MLIRContext *context)
      : ConversionPattern(converter, MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                                ConversionPatternRewriter &rewriter) const override {
    SmallVector<Type> types;
    if (!isa<LLVM::LLVMDialect>(op->getDialect()) || op->getNumRegions() != 0 ||
        op->getNumSuccessors() != 0 ||
        failed(getTypeConverter()->convertTypes(op->getResultTypes(), types)))
      return failure();
    OperationState state(op->getLoc(), op->getName(), operands, types, op->getAttrs());
    Operation *retyped = rewriter.create(state);
    if (auto gep = dyn_cast<LLVM::GEPOp>(retyped))
      gep.setNoWrapFlags(LLVM::GEPNoWrapFlags::none);
    rewriter.replaceOp(op, retyped);
    return success();
  }
};

} // namespace

void populateSimtToHostPatterns(const LLVMTypeConverter &converter, RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<SharedPattern, SpecialRegisterPattern, RetypePattern,
               ErasePattern<simt::ReleaseDependentsOp>, ErasePattern<simt::AwaitPredecessorsOp>>(
      converter, context);
  patterns.add<LoadPattern>(converter, context, "lora_emulator_load");
  patterns.add<StorePattern>(converter, context, "lora_emulator_store");
  patterns.add<AtomicAddPattern>(converter, context, "lora_emulator_atomic_add");
  patterns.add<PlainPattern<simt::FenceOp>>(converter, context, "lora_emulator_fence");
  patterns.add<CpAsyncPattern>(converter, context, "lora_emulator_cp_async");
  patterns.add<PlainPattern<simt::CpAsyncCommitOp>>(converter, context,
                                                    "lora_emulator_cp_async_commit");
  patterns.add<PlainPattern<simt::CpAsyncWaitOp>>(converter, context,
                                                  "lora_emulator_cp_async_wait");
  patterns.add<BarrierPattern>(converter, context, "lora_emulator_barrier");
  patterns.add<PlainPattern<simt::WarpBarrierOp>>(converter, context, "lora_emulator_warp_barrier");
  patterns.add<PeerPattern>(converter, context, "lora_emulator_peer");
  patterns.add<PlainPattern<simt::ClusterArriveOp>>(converter, context,
                                                    "lora_emulator_cluster_arrive");
  patterns.add<PlainPattern<simt::ClusterWaitOp>>(converter, context, "lora_emulator_cluster_wait");
  patterns.add<MbarrierInitPattern>(converter, context, "lora_emulator_mbarrier_init");
  patterns.add<StoreAsyncPattern>(converter, context, "lora_emulator_store_async");
  patterns.add<MbarrierWaitPattern>(converter, context, "lora_emulator_mbarrier_wait");
  patterns.add<MmaPattern>(converter, context, "lora_emulator_mma");
}

} // namespace lora::emulator
