//===- Bounds.cpp - How large values can become --------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Analysis/Bounds.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace lora;

/// The smaller of two bounds, of which either may be unknown.
static std::optional<int64_t> smaller(std::optional<int64_t> a, std::optional<int64_t> b) {
  return a && b ? std::min(*a, *b) : a ? a : b;
}

std::optional<int64_t> lora::upperBound(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.getSExtValue();
  Operation *op = value.getDefiningOp();
  if (!op)
    return std::nullopt;
  return TypeSwitch<Operation *, std::optional<int64_t>>(op)
      .Case([](arith::MinSIOp min) {
        return smaller(upperBound(min.getLhs()), upperBound(min.getRhs()));
      })
      .Case<arith::MaxSIOp, arith::SelectOp>([](auto choice) -> std::optional<int64_t> {
        unsigned operands = choice->getNumOperands();
        auto a = upperBound(choice->getOperand(operands - 2));
        auto b = upperBound(choice->getOperand(operands - 1));
        return a && b ? std::optional(std::max(*a, *b)) : std::nullopt;
      })
      .Case([](arith::RemUIOp rem) -> std::optional<int64_t> {
        APInt divisor;
        if (matchPattern(rem.getRhs(), m_ConstantInt(&divisor)) && divisor.isStrictlyPositive())
          return divisor.getSExtValue() - 1;
        return std::nullopt;
      })
      .Default([](Operation *) { return std::nullopt; });
}
