//===- SimtToLLVM.cpp - Turn thread-level kernels into the LLVM dialect --===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InlinePtx.h"
#include "Simt/Simt.h"
#include "lora/Conversion/Passes.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Transforms/DialectConversion.h"

namespace lora {
#define GEN_PASS_DEF_SIMTTOLLVM
#include "lora/Conversion/Passes.h.inc"
} // namespace lora

using namespace mlir;
using namespace lora;
using namespace lora::simt;

/// Name of the dynamic shared buffer in the module.
static constexpr StringLiteral kSharedBuffer = "simt_shared";

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {

struct SharedPattern : ConvertOpToLLVMPattern<SharedOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(SharedOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type pointer = op.getType();
    Value base = LLVM::AddressOfOp::create(rewriter, loc, pointer, kSharedBuffer);
    rewriter.replaceOpWithNewOp<LLVM::GEPOp>(
        op, pointer, rewriter.getI8Type(), base,
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(op.getOffset())});
    return success();
  }
};

struct LoadPattern : ConvertOpToLLVMPattern<LoadOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(LoadOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type type = getTypeConverter()->convertType(op.getType());
    unsigned bytes = getAccessBytes(op.getType());
    AddressSpace space = spaceOf(op.getAddress());
    if (op.getHint() == CacheHint::Default && !op.getPredicate() && space.isPlain) {
      rewriter.replaceOpWithNewOp<LLVM::LoadOp>(op, type, adaptor.getAddress(), bytes);
      return success();
    }
    Words words(bytes);
    std::string opcode = "ld." + space.name;
    if (op.getHint() != CacheHint::Default)
      opcode += ".nc";
    if (op.getHint() == CacheHint::Streaming)
      opcode += ".L1::no_allocate";
    opcode +=
        words.suffix() + " " + words.operands(0) + ", [$" + std::to_string(words.count) + "];";
    SmallVector<Value> operands = {adaptor.getAddress()};
    std::string constraints;
    for (int i = 0; i != words.count; ++i)
      constraints += std::string("=") + words.constraint() + ",";
    constraints += space.constraint;
    if (adaptor.getPredicate()) {
      std::string zeros;
      for (int i = 0; i != words.count; ++i)
        zeros += "mov.b" + std::to_string(std::max(words.bits, 16)) + " $" + std::to_string(i) +
                 ", 0;\n";
      // The result must not share a register with the address, which is read after it is cleared.
      constraints.clear();
      for (int i = 0; i != words.count; ++i)
        constraints += std::string("=&") + words.constraint() + ",";
      constraints += space.constraint + ",b";
      operands.push_back(adaptor.getPredicate());
      opcode = zeros + "@$" + std::to_string(words.count + 1) + " " + opcode;
    }
    operands[0] = toAddress(rewriter, loc, operands[0]);
    Type word = words.type(rewriter);
    Type result = words.count == 1
                      ? word
                      : LLVM::LLVMStructType::getLiteral(rewriter.getContext(),
                                                         SmallVector<Type>(words.count, word));
    // The order of loads is that of the kernel: what comes before a wait has to stay there.
    auto ptx = inlinePtx(rewriter, loc, result, operands, opcode, constraints + ",~{memory}", true);
    rewriter.replaceOp(op, fromWords(rewriter, loc, type, ptx.getResult(0), words));
    return success();
  }
};

struct StorePattern : ConvertOpToLLVMPattern<StoreOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(StoreOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    unsigned bytes = getAccessBytes(op.getValue().getType());
    AddressSpace space = spaceOf(op.getAddress());
    if (!op.getPredicate() && space.isPlain) {
      rewriter.replaceOpWithNewOp<LLVM::StoreOp>(op, adaptor.getValue(), adaptor.getAddress(),
                                                 bytes);
      return success();
    }
    Words words(bytes);
    SmallVector<Value> operands = {toAddress(rewriter, loc, adaptor.getAddress())};
    std::string constraints = space.constraint;
    std::string guard = guardOn(adaptor.getPredicate(), operands, constraints);
    std::string values = words.operands(operands.size());
    llvm::append_range(operands, toWords(rewriter, loc, adaptor.getValue(), words));
    for (int i = 0; i != words.count; ++i)
      constraints += std::string(",") + words.constraint();
    inlinePtx(rewriter, loc, {}, operands,
              guard + "st." + space.name + words.suffix() + " [$0], " + values + ";",
              constraints + ",~{memory}", /*sideEffects=*/true);
    rewriter.eraseOp(op);
    return success();
  }
};

struct AtomicAddPattern : ConvertOpToLLVMPattern<AtomicAddOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(AtomicAddOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto ptx = inlinePtx(rewriter, op.getLoc(), rewriter.getI32Type(),
                         {adaptor.getAddress(), adaptor.getValue()},
                         "atom.acq_rel.gpu.global.add.u32 $0, [$1], $2;", "=r,l,r,~{memory}", true);
    rewriter.replaceOp(op, ptx.getResults());
    return success();
  }
};

struct CpAsyncPattern : ConvertOpToLLVMPattern<CpAsyncOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(CpAsyncOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type i32 = rewriter.getI32Type();
    int64_t bytes = op.getBytes();
    Value destination = LLVM::PtrToIntOp::create(rewriter, loc, i32, adaptor.getDestination());
    // Only 16 bytes may bypass the L1 cache.
    std::string text = std::string("cp.async.") + (bytes == 16 ? "cg" : "ca") +
                       ".shared.global [$0], [$1], " + std::to_string(bytes);
    SmallVector<Value> operands = {destination, adaptor.getSource()};
    std::string constraints = "r,l";
    if (adaptor.getPredicate()) {
      Value size = LLVM::ConstantOp::create(rewriter, loc, i32, bytes);
      Value none = LLVM::ConstantOp::create(rewriter, loc, i32, 0);
      operands.push_back(LLVM::SelectOp::create(rewriter, loc, adaptor.getPredicate(), size, none));
      text += ", $2";
      constraints += ",r";
    }
    inlinePtx(rewriter, loc, {}, operands, text + ";", constraints + ",~{memory}", true);
    rewriter.eraseOp(op);
    return success();
  }
};

struct BarrierPattern : ConvertOpToLLVMPattern<BarrierOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(BarrierOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    if (adaptor.getId())
      inlinePtx(rewriter, loc, {}, {adaptor.getId()},
                "barrier.sync $0, " + Twine(*op.getThreads()) + ";", "r,~{memory}", true);
    else
      NVVM::Barrier0Op::create(rewriter, loc);
    rewriter.eraseOp(op);
    return success();
  }
};

struct CpAsyncWaitPattern : ConvertOpToLLVMPattern<CpAsyncWaitOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(CpAsyncWaitOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    inlinePtx(rewriter, op.getLoc(), {}, {}, "cp.async.wait_group " + Twine(op.getPending()) + ";",
              "~{memory}", true);
    rewriter.eraseOp(op);
    return success();
  }
};

struct MmaPattern : ConvertOpToLLVMPattern<MmaOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(MmaOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type element = cast<VectorType>(op.getLhs().getType()).getElementType();
    bool wide = element.isF32();
    SmallVector<Value> operands;
    auto appendWords = [&](Value vector, int count) {
      for (Value word : toWords(rewriter, loc, vector, Words(count, 32))) {
        // Rounded to nearest: the hardware would cut the low bits off.
        if (wide)
          word = inlinePtx(rewriter, loc, rewriter.getI32Type(), {word}, "cvt.rna.tf32.f32 $0, $1;",
                           "=r,r", false)
                     .getResult(0);
        operands.push_back(word);
      }
    };
    appendWords(adaptor.getLhs(), 4);
    appendWords(adaptor.getRhs(), 2);
    for (int i = 0; i != 4; ++i) {
      Value index = LLVM::ConstantOp::create(rewriter, loc, rewriter.getI32Type(), i);
      operands.push_back(
          LLVM::ExtractElementOp::create(rewriter, loc, adaptor.getAccumulator(), index));
    }
    std::string type = wide ? "tf32" : element.isF16() ? "f16" : "bf16";
    Type f32 = rewriter.getF32Type();
    Type result = LLVM::LLVMStructType::getLiteral(rewriter.getContext(), {f32, f32, f32, f32});
    auto ptx = inlinePtx(rewriter, loc, result, operands,
                         "mma.sync.aligned.m16n8k" + Twine(wide ? "8" : "16") + ".row.col.f32." +
                             type + "." + type +
                             ".f32 {$0, $1, $2, $3}, {$4, $5, $6, $7}, {$8, $9}, "
                             "{$10, $11, $12, $13};",
                         "=f,=f,=f,=f,r,r,r,r,r,r,f,f,f,f", false);
    Value vector = LLVM::PoisonOp::create(rewriter, loc, op.getType());
    for (int i = 0; i != 4; ++i) {
      Value index = LLVM::ConstantOp::create(rewriter, loc, rewriter.getI32Type(), i);
      Value part = LLVM::ExtractValueOp::create(rewriter, loc, ptx.getResult(0), i);
      vector = LLVM::InsertElementOp::create(rewriter, loc, vector, part, index);
    }
    rewriter.replaceOp(op, vector);
    return success();
  }
};

struct SimtToLLVMPass : lora::impl::SimtToLLVMBase<SimtToLLVMPass> {
  void runOnOperation() override {
    gpu::GPUModuleOp module = getOperation();
    declareSharedBuffer(module);
    LowerToLLVMOptions options(&getContext());
    LLVMTypeConverter converter(&getContext(), options);
    RewritePatternSet patterns(&getContext());
    patterns.add<SharedPattern, LoadPattern, StorePattern, AtomicAddPattern, CpAsyncPattern,
                 CpAsyncWaitPattern, BarrierPattern, MmaPattern>(converter);
    patterns.add<FixedPtxPattern<FenceOp>>(converter, "fence.acq_rel.gpu;");
    patterns.add<FixedPtxPattern<CpAsyncCommitOp>>(converter, "cp.async.commit_group;");
    patterns.add<FixedPtxPattern<ReleaseDependentsOp>>(converter,
                                                       "griddepcontrol.launch_dependents;");
    patterns.add<FixedPtxPattern<AwaitPredecessorsOp>>(converter, "griddepcontrol.wait;");
    patterns.add<FixedPtxPattern<WarpBarrierOp>>(converter, "bar.warp.sync 0xffffffff;");
    populateClusterPatterns(converter, patterns);
    arith::populateCeilFloorDivExpandOpsPatterns(patterns);
    arith::populateArithToLLVMConversionPatterns(converter, patterns);
    cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
    populateMathToLLVMConversionPatterns(converter, patterns);
    populateVectorToLLVMConversionPatterns(converter, patterns);
    populateGpuToNVVMConversionPatterns(converter, patterns);
    LLVMConversionTarget target(getContext());
    target.addLegalOp<gpu::GPUModuleOp>();
    target.addLegalDialect<NVVM::NVVMDialect>();
    target.addIllegalDialect<simt::SimtDialect, gpu::GPUDialect>();
    target.addLegalOp<gpu::GPUModuleOp>();
    if (failed(applyPartialConversion(module, target, std::move(patterns))))
      signalPassFailure();
  }

private:
  void declareSharedBuffer(gpu::GPUModuleOp module) {
    OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
    auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), 0);
    LLVM::GlobalOp::create(builder, module.getLoc(), type, /*isConstant=*/false,
                           LLVM::Linkage::External, kSharedBuffer, Attribute(),
                           /*alignment=*/128, /*addrSpace=*/3);
  }
};

} // namespace
