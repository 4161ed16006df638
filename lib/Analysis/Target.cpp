//===- Target.cpp - The target that a module is compiled for -------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Analysis/Target.h"

#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;
using namespace lora;

const TargetFacts &lora::getTarget(Operation *op) {
  for (; op; op = op->getParentOp())
    if (auto name = op->getAttrOfType<StringAttr>(kTargetAttribute))
      return findTarget(name.getValue().str());
  return allTargets().front();
}
