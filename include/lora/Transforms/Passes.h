//===- Passes.h - Passes over the tile dialect ------------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "mlir/Pass/Pass.h"

namespace mlir::arith {
class ArithDialect;
}
namespace mlir::scf {
class SCFDialect;
}

namespace lora {

#define GEN_PASS_DECL
#include "lora/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "lora/Transforms/Passes.h.inc"

} // namespace lora
