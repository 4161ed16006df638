//===- Divisibility.cpp - What values are known to be multiples of ----------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Analysis/Divisibility.h"
#include "lora/Support/Expression.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;
using namespace lora;
using namespace lora::tile;

/// A bound on divisors, so that products of them do not overflow.
static constexpr int64_t kLargest = 1 << 20;

static int64_t natural(Type type) {
  auto pointer = dyn_cast<PtrType>(type);
  return pointer ? getElementBytes(pointer.getPointee()) : 1;
}

Divisibility::Divisibility(KernelOp kernel) : kernel(kernel) {
  auto lookup = [&](std::string_view name) -> std::optional<int64_t> {
    auto value = kernel.getConfig()
                     ? kernel.getConfig()->getAs<IntegerAttr>(StringRef(name.data(), name.size()))
                     : IntegerAttr();
    return value ? std::optional(value.getInt()) : std::nullopt;
  };
  for (auto text : kernel.getAssumptions().getAsValueRange<StringAttr>()) {
    auto fact = Expression::parse(text.str()).divisibility();
    if (!fact)
      continue;
    auto names = fact->second.names();
    if (llvm::any_of(names, [&](const std::string &name) { return !lookup(name); }))
      continue; // The divisor depends on another argument.
    int64_t divisor = fact->second.evaluate(lookup);
    for (auto [argument, name] : llvm::zip(kernel.getRegion().getArguments(), kernel.getArgNames()))
      if (cast<StringAttr>(name).getValue() == fact->first && divisor > 0)
        known[argument] = std::lcm(of(argument), std::min(divisor, kLargest));
  }
}

int64_t Divisibility::of(Value value) {
  auto found = known.find(value);
  if (found != known.end())
    return found->second;
  int64_t divisor = std::min(compute(value), kLargest);
  known[value] = divisor;
  return divisor;
}

int64_t Divisibility::compute(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return std::abs(constant.getSExtValue());
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (auto sum = dyn_cast<SumOp>(parent))
      return sum.getStepInt();
    auto loop = dyn_cast<scf::ForOp>(parent);
    if (loop && argument == loop.getInductionVar())
      return std::gcd(of(loop.getLowerBound()), of(loop.getStep()));
    return natural(value.getType());
  }
  return TypeSwitch<Operation *, int64_t>(value.getDefiningOp())
      .Case([&](arith::AddIOp op) { return std::gcd(of(op.getLhs()), of(op.getRhs())); })
      .Case([&](arith::SubIOp op) { return std::gcd(of(op.getLhs()), of(op.getRhs())); })
      .Case([&](arith::MulIOp op) { return of(op.getLhs()) * of(op.getRhs()); })
      .Case([&](arith::SelectOp op) {
        return std::gcd(of(op.getTrueValue()), of(op.getFalseValue()));
      })
      .Case<arith::MinSIOp, arith::MaxSIOp>(
          [&](auto op) { return std::gcd(of(op.getLhs()), of(op.getRhs())); })
      .Case<arith::ExtSIOp, arith::ExtUIOp>([&](auto op) { return of(op.getIn()); })
      .Case([&](AssumeDivisibleOp op) {
        int64_t promised = cast<IntegerAttr>(op.getDivisor()).getInt();
        return std::lcm(of(op.getOperand()), std::min(promised, kLargest));
      })
      .Default([&](Operation *) { return natural(value.getType()); });
}
