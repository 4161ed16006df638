//===- Target.h - The target that a module is compiled for ---------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "lora/Target/TargetFacts.h"

#include "mlir/IR/Operation.h"

namespace lora {

/// Discardable attribute of a module: the name of its target.
inline constexpr llvm::StringLiteral kTargetAttribute = "tile.target";

/// The target of the module around an op; the oldest one that is supported if it names none.
const TargetFacts &getTarget(mlir::Operation *op);

} // namespace lora
