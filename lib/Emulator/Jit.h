//===- Jit.h - Host code for a kernel -------------------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "HostContext.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

#include <memory>

namespace lora::emulator {

/// Compiled code, and what keeps it in memory.
struct HostCode {
  std::shared_ptr<void> owner;
  KernelFunction function;
};

/// Compiles a module that `simt-to-host` made.
llvm::Expected<HostCode> compileForHost(mlir::ModuleOp module);

} // namespace lora::emulator
