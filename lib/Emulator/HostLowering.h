//===- HostLowering.h - From the thread level to LLVM for the host --------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "OpTable.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/DialectConversion.h"

#include <memory>

namespace mlir {
class LLVMTypeConverter;
}

namespace lora::emulator {

/// Numbers the ops that call the runtime, in the order of the source. Each has its index in `table`
/// as an attribute. Emits an error at the first op that has no emulation.
mlir::LogicalResult numberOps(mlir::Operation *kernel, OpTable &table);

/// The index that numberOps gave to `op`.
uint32_t opIndex(mlir::Operation *op);

/// Calls the runtime function `name` with the context of the enclosing kernel and `arguments`.
/// Returns its result, or null.
mlir::Value callRuntime(mlir::OpBuilder &builder, mlir::Location location, llvm::StringRef name,
                        mlir::ValueRange arguments);

/// Rewrites every simt op to a call of the runtime, and special registers to loads.
void populateSimtToHostPatterns(const mlir::LLVMTypeConverter &converter,
                                mlir::RewritePatternSet &patterns);

/// Turns a module with one gpu.func into one with one llvm.func that has the type KernelFunction,
/// and fills `table`.
std::unique_ptr<mlir::Pass> createSimtToHostPass(OpTable &table);

} // namespace lora::emulator
