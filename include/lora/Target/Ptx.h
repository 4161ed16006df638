//===- Ptx.h - PTX from the LLVM dialect ---------------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "lora/Target/TargetFacts.h"

#include "mlir/Support/LLVM.h"

#include <string>

namespace mlir {
class DialectRegistry;
namespace gpu {
class GPUModuleOp;
}
} // namespace mlir

namespace lora {

/// Registers what translating kernels to LLVM IR needs.
void registerPtxTranslations(mlir::DialectRegistry &registry);

/// The LLVM IR of a kernel module, optimised for the target, as text.
mlir::FailureOr<std::string> emitLLVMIR(mlir::gpu::GPUModuleOp module, const TargetFacts &target);

/// The PTX of a kernel module. Source locations appear as `.loc` directives.
mlir::FailureOr<std::string> emitPtx(mlir::gpu::GPUModuleOp module, const TargetFacts &target);

} // namespace lora
