//===- TileToSimt.cpp - Turn tile programs into what one thread does -----===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"
#include "Simt/Simt.h"
#include "lora/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace lora {
#define GEN_PASS_DEF_TILETOSIMT
#include "lora/Conversion/Passes.h.inc"
} // namespace lora

using namespace mlir;
using namespace lora;
using namespace lora::tile;

/// Creates the module and the function that a kernel becomes; the body is one empty block.
static gpu::GPUFuncOp createFunction(OpBuilder &builder, KernelOp kernel) {
  auto module = gpu::GPUModuleOp::create(builder, kernel.getLoc(), kernel.getSymName());
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext(), 1);
  SmallVector<Type> inputs;
  for (Type type : kernel.getRegion().getArgumentTypes())
    inputs.push_back(isa<PtrType>(type) ? pointer : type);

  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(module.getBody());
  auto function = gpu::GPUFuncOp::create(builder, kernel.getLoc(), kernel.getSymName(),
                                         builder.getFunctionType(inputs, {}));
  function->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), builder.getUnitAttr());
  int32_t threads = 32 * kernel.getConfigInt("WARPS", 4);
  function.setKnownBlockSizeAttr(builder.getDenseI32ArrayAttr({threads, 1, 1}));
  return function;
}

namespace {

struct TileToSimtPass : lora::impl::TileToSimtBase<TileToSimtPass> {
  void runOnOperation() override {
    for (KernelOp kernel : llvm::make_early_inc_range(getOperation().getOps<KernelOp>())) {
      if (!kernel.isSpecialized()) {
        kernel.emitError("expected a specialised kernel: run tile-specialize first");
        return signalPassFailure();
      }
      OpBuilder builder(kernel);
      gpu::GPUFuncOp function = createFunction(builder, kernel);
      if (failed(KernelLowering(kernel, function).run()))
        return signalPassFailure();
      kernel.erase();
    }
  }
};

} // namespace
