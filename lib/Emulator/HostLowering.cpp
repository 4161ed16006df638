//===- HostLowering.cpp - From the thread level to LLVM for the host ------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostLowering.h"

#include "HostContext.h"
#include "RuntimeCalls.h"
#include "lora/Emulator/Emulator.h"

#include "Simt/Simt.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace lora::emulator {

static constexpr llvm::StringLiteral indexAttribute = "simt.op_index";

static bool isIntegerDivision(Operation *op) {
  return isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::CeilDivSIOp,
             arith::CeilDivUIOp, arith::FloorDivSIOp>(op);
}

/// Whether the lowering below keeps the meaning of `op`, as far as that can be told by its name.
static bool hasEmulation(Operation *op) {
  if (isa<arith::ArithDialect, math::MathDialect, cf::ControlFlowDialect, ub::UBDialect>(
          op->getDialect()))
    return true;
  if (isa<simt::SharedOp, simt::LoadOp, simt::StoreOp, simt::AtomicAddOp, simt::FenceOp,
          simt::CpAsyncOp, simt::CpAsyncCommitOp, simt::CpAsyncWaitOp, simt::BarrierOp,
          simt::WarpBarrierOp, simt::PeerOp, simt::ClusterArriveOp, simt::ClusterWaitOp,
          simt::MbarrierInitOp, simt::StoreAsyncOp, simt::MbarrierWaitOp, simt::MmaOp,
          simt::ReleaseDependentsOp, simt::AwaitPredecessorsOp>(op))
    return true;
  if (isa<vector::VectorDialect>(op->getDialect()))
    return isMemoryEffectFree(op);
  if (isa<LLVM::LLVMDialect>(op->getDialect()))
    return isMemoryEffectFree(op) && op->getNumRegions() == 0 &&
           !isa<LLVM::AddrSpaceCastOp, LLVM::InlineAsmOp, LLVM::CallOp, LLVM::CallIntrinsicOp>(op);
  if (llvm::is_contained(specialRegisters, op->getName().getStringRef()))
    return true;
  return isa<gpu::GPUFuncOp, gpu::ReturnOp, scf::ForOp, scf::IfOp, scf::WhileOp, scf::ConditionOp,
             scf::YieldOp, scf::IndexSwitchOp, scf::ExecuteRegionOp>(op);
}

LogicalResult numberOps(Operation *kernel, OpTable &table) {
  Builder builder(kernel->getContext());
  WalkResult result = kernel->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!op->getDialect() || !hasEmulation(op)) {
      op->emitError() << "'" << op->getName().getStringRef() << "' has no emulation";
      return WalkResult::interrupt();
    }
    if (isa<simt::SimtDialect>(op->getDialect()) || isIntegerDivision(op)) {
      op->setAttr(indexAttribute, builder.getI32IntegerAttr(static_cast<int32_t>(table.size())));
      table.push_back(describeOp(op));
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

uint32_t opIndex(Operation *op) {
  return static_cast<uint32_t>(op->getAttrOfType<IntegerAttr>(indexAttribute).getInt());
}

static void declareRuntime(ModuleOp module) {
  auto builder = OpBuilder::atBlockBegin(module.getBody());
  auto typeOf = [&](char letter) -> Type {
    switch (letter) {
    case 'v':
      return LLVM::LLVMVoidType::get(module.getContext());
    case 'i':
      return builder.getI32Type();
    case 'l':
      return builder.getI64Type();
    default:
      return LLVM::LLVMPointerType::get(module.getContext());
    }
  };
  for (const RuntimeFunction &function : runtimeFunctions()) {
    auto arguments = llvm::map_to_vector(function.signature.drop_front(), typeOf);
    auto type = LLVM::LLVMFunctionType::get(typeOf(function.signature.front()), arguments);
    LLVM::LLVMFuncOp::create(builder, module.getLoc(), function.name, type);
  }
}

/// Moves the body of `kernel` into a function of the type KernelFunction, which first loads the
/// arguments, and erases the gpu.module.
static LLVM::LLVMFuncOp makeHostFunction(ModuleOp module, gpu::GPUFuncOp kernel) {
  auto builder = OpBuilder::atBlockEnd(module.getBody());
  Location location = kernel.getLoc();
  auto pointer = LLVM::LLVMPointerType::get(module.getContext());
  auto type =
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(module.getContext()), {pointer, pointer});
  auto function = LLVM::LLVMFuncOp::create(builder, location, kernelFunctionName, type);
  function.getBody().takeBody(kernel.getBody());
  Block &entry = function.getBody().front();

  entry.insertArgument(0u, pointer, location);
  Value table = entry.insertArgument(1u, pointer, location);
  builder.setInsertionPointToStart(&entry);
  for (unsigned index = 0; entry.getNumArguments() > 2; ++index) {
    Value slot = LLVM::GEPOp::create(builder, location, pointer, pointer, table,
                                     LLVM::GEPArg(static_cast<int32_t>(index)));
    Value address = LLVM::LoadOp::create(builder, location, pointer, slot);
    Value value = LLVM::LoadOp::create(builder, location, entry.getArgument(2).getType(), address);
    entry.getArgument(2).replaceAllUsesWith(value);
    entry.eraseArgument(2);
  }
  function.walk([](gpu::ReturnOp op) {
    OpBuilder builder(op);
    LLVM::ReturnOp::create(builder, op.getLoc(), ValueRange());
    op.erase();
  });
  kernel->getParentOp()->erase();
  return function;
}

static Value widen(OpBuilder &builder, Location location, Value value, bool isSigned) {
  Type wide = builder.getI64Type();
  if (value.getType().isIndex())
    return arith::IndexCastOp::create(builder, location, wide, value);
  if (value.getType() == wide)
    return value;
  if (isSigned)
    return arith::ExtSIOp::create(builder, location, wide, value);
  return arith::ExtUIOp::create(builder, location, wide, value);
}

/// A division by zero traps on the host and gives any number on a GPU. Checks it, for every element
/// of a vector, unless the divisor is a constant.
static void checkDivision(Operation *op) {
  OpBuilder builder(op);
  Location location = op->getLoc();
  bool isSigned = !isa<arith::DivUIOp, arith::RemUIOp, arith::CeilDivUIOp>(op);
  Value dividend = op->getOperand(0), divisor = op->getOperand(1);
  APInt constant;
  if (matchPattern(divisor, m_ConstantInt(&constant)) && !constant.isZero() &&
      !constant.isAllOnes())
    return;
  auto i32 = [&](int32_t value) -> Value {
    return LLVM::ConstantOp::create(builder, location, builder.getI32Type(), value);
  };
  auto vector = dyn_cast<VectorType>(divisor.getType());
  Type element = getElementTypeOrSelf(divisor.getType());
  int32_t width = element.isIndex() ? 64 : static_cast<int32_t>(element.getIntOrFloatBitWidth());
  for (int64_t i = 0, count = vector ? vector.getNumElements() : 1; i < count; ++i) {
    auto scalar = [&](Value value) -> Value {
      if (vector)
        value = vector::ExtractOp::create(builder, location, value, i);
      return widen(builder, location, value, isSigned);
    };
    callRuntime(builder, location, "lora_emulator_check_division",
                {i32(static_cast<int32_t>(opIndex(op))), scalar(dividend), scalar(divisor),
                 i32(isSigned ? width : 0)});
  }
}

/// Adds what the host needs and the kernel does not have: checks of divisions, and a place in every
/// loop where a run can be stopped.
static void instrument(LLVM::LLVMFuncOp function) {
  function.walk([](Operation *op) {
    if (isIntegerDivision(op))
      checkDivision(op);
    Block *loop = nullptr;
    if (auto loopOp = dyn_cast<scf::ForOp>(op))
      loop = loopOp.getBody();
    else if (auto loopOp = dyn_cast<scf::WhileOp>(op))
      loop = loopOp.getBeforeBody();
    if (!loop)
      return;
    auto builder = OpBuilder::atBlockBegin(loop);
    callRuntime(builder, op->getLoc(), "lora_emulator_poll", {});
  });
}

static LogicalResult lowerControlFlow(ModuleOp module) {
  RewritePatternSet patterns(module.getContext());
  populateSCFToControlFlowConversionPatterns(patterns);
  ConversionTarget target(*module.getContext());
  target.addIllegalDialect<scf::SCFDialect>();
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  return applyPartialConversion(module, target, std::move(patterns));
}

/// One full conversion, so that nothing is folded away or deleted as dead on the way: what the
/// kernel says is what runs.
static LogicalResult lowerToLLVM(ModuleOp module) {
  MLIRContext *context = module.getContext();
  LLVMTypeConverter converter(context);
  converter.addConversion([](LLVM::LLVMPointerType type) -> Type {
    return LLVM::LLVMPointerType::get(type.getContext());
  });
  RewritePatternSet patterns(context);
  populateSimtToHostPatterns(converter, patterns);
  arith::populateCeilFloorDivExpandOpsPatterns(patterns);
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  populateMathToLLVMConversionPatterns(converter, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  ub::populateUBToLLVMConversionPatterns(converter, patterns);
  vector::populateVectorInsertExtractStridedSliceTransforms(patterns);
  vector::populateVectorBroadcastLoweringPatterns(patterns);
  vector::populateVectorShapeCastLoweringPatterns(patterns);
  vector::populateVectorStepLoweringPatterns(patterns);
  vector::populateVectorInterleaveLoweringPatterns(patterns);
  populateVectorToLLVMConversionPatterns(converter, patterns);

  ConversionTarget target(*context);
  target.addLegalOp<ModuleOp>();
  target.addDynamicallyLegalDialect<LLVM::LLVMDialect>(
      [&](Operation *op) { return isa<LLVM::LLVMFuncOp>(op) || converter.isLegal(op); });
  return applyFullConversion(module, target, std::move(patterns));
}

namespace {

class SimtToHostPass : public PassWrapper<SimtToHostPass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SimtToHostPass)

  SimtToHostPass() = default;
  explicit SimtToHostPass(OpTable &table) : result(&table) {}

  StringRef getArgument() const override { return "simt-to-host"; }
  StringRef getDescription() const override {
    return "Turn a thread-level kernel into an LLVM function for the host, in which every op that "
           "touches memory or other threads is a call of the emulator";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<LLVM::LLVMDialect, cf::ControlFlowDialect, arith::ArithDialect,
                    vector::VectorDialect, ub::UBDialect>();
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<gpu::GPUFuncOp> kernels;
    module.walk([&](gpu::GPUFuncOp kernel) { kernels.push_back(kernel); });
    if (kernels.size() != 1 || !llvm::hasSingleElement(*module.getBody())) {
      module.emitError("expected one gpu.module with one gpu.func, got ")
          << kernels.size() << " gpu.func";
      return signalPassFailure();
    }
    OpTable table;
    if (failed(numberOps(kernels[0], table)))
      return signalPassFailure();
    declareRuntime(module);
    instrument(makeHostFunction(module, kernels[0]));
    if (failed(lowerControlFlow(module)) || failed(lowerToLLVM(module)))
      return signalPassFailure();
    if (result)
      *result = std::move(table);
  }

private:
  OpTable *result = nullptr;
};

} // namespace

std::unique_ptr<Pass> createSimtToHostPass(OpTable &table) {
  return std::make_unique<SimtToHostPass>(table);
}

void registerSimtToHostPass() { PassRegistration<SimtToHostPass>(); }

} // namespace lora::emulator
