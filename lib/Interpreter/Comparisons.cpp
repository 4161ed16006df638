//===- Comparisons.cpp - Interpretation of comparisons and select ---------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handlers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cmath>

using namespace mlir;
using namespace lora::interpreter;

static bool compare(arith::CmpIPredicate predicate, int64_t a, int64_t b, unsigned width) {
  const uint64_t ua = zeroExtend(a, width), ub = zeroExtend(b, width);
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return a == b;
  case arith::CmpIPredicate::ne:
    return a != b;
  case arith::CmpIPredicate::slt:
    return a < b;
  case arith::CmpIPredicate::sle:
    return a <= b;
  case arith::CmpIPredicate::sgt:
    return a > b;
  case arith::CmpIPredicate::sge:
    return a >= b;
  case arith::CmpIPredicate::ult:
    return ua < ub;
  case arith::CmpIPredicate::ule:
    return ua <= ub;
  case arith::CmpIPredicate::ugt:
    return ua > ub;
  case arith::CmpIPredicate::uge:
    return ua >= ub;
  }
  return false;
}

/// `O..` predicates are false and `U..` predicates true when an operand is NaN.
static bool compare(arith::CmpFPredicate predicate, float a, float b) {
  const bool unordered = std::isunordered(a, b);
  switch (predicate) {
  case arith::CmpFPredicate::AlwaysFalse:
    return false;
  case arith::CmpFPredicate::AlwaysTrue:
    return true;
  case arith::CmpFPredicate::ORD:
    return !unordered;
  case arith::CmpFPredicate::UNO:
    return unordered;
  case arith::CmpFPredicate::OEQ:
    return a == b;
  case arith::CmpFPredicate::OGT:
    return a > b;
  case arith::CmpFPredicate::OGE:
    return a >= b;
  case arith::CmpFPredicate::OLT:
    return a < b;
  case arith::CmpFPredicate::OLE:
    return a <= b;
  case arith::CmpFPredicate::ONE:
    return !unordered && a != b;
  case arith::CmpFPredicate::UEQ:
    return unordered || a == b;
  case arith::CmpFPredicate::UGT:
    return unordered || a > b;
  case arith::CmpFPredicate::UGE:
    return unordered || a >= b;
  case arith::CmpFPredicate::ULT:
    return unordered || a < b;
  case arith::CmpFPredicate::ULE:
    return unordered || a <= b;
  case arith::CmpFPredicate::UNE:
    return a != b;
  }
  return false;
}

static LogicalResult evaluateCmpI(Program &program, arith::CmpIOp op) {
  const Tensor &lhs = program.tensor(op.getLhs()), &rhs = program.tensor(op.getRhs());
  const arith::CmpIPredicate predicate = op.getPredicate();
  const unsigned width = getBitWidth(lhs.element);
  Tensor result(op.getType());
  for (int64_t i = 0, size = result.size(); i != size; ++i)
    result.setBits(i, compare(predicate, lhs.ints[i], rhs.ints[i], width));
  program.bind(op.getResult(), std::move(result));
  return success();
}

static LogicalResult evaluateCmpF(Program &program, arith::CmpFOp op) {
  const Tensor &lhs = program.tensor(op.getLhs()), &rhs = program.tensor(op.getRhs());
  const arith::CmpFPredicate predicate = op.getPredicate();
  Tensor result(op.getType());
  for (int64_t i = 0, size = result.size(); i != size; ++i)
    result.setBits(i, compare(predicate, lhs.floats[i], rhs.floats[i]));
  program.bind(op.getResult(), std::move(result));
  return success();
}

static LogicalResult evaluateSelect(Program &program, arith::SelectOp op) {
  const RuntimeValue &trueValue = program.get(op.getTrueValue());
  const RuntimeValue &falseValue = program.get(op.getFalseValue());
  const Tensor &condition = program.tensor(op.getCondition());
  if (condition.shape.empty()) {
    program.bind(op.getResult(), condition.ints[0] ? trueValue : falseValue);
    return success();
  }
  Tensor result = std::get<Tensor>(trueValue);
  const Tensor &other = std::get<Tensor>(falseValue);
  for (int64_t i = 0, size = result.size(); i != size; ++i) {
    if (condition.ints[i])
      continue;
    if (isFloat(result.element))
      result.floats[i] = other.floats[i];
    else
      result.ints[i] = other.ints[i];
  }
  program.bind(op.getResult(), std::move(result));
  return success();
}

void lora::interpreter::addComparisons(HandlerTable &table) {
  table.add<evaluateCmpF>();
  table.add<evaluateCmpI>();
  table.add<evaluateSelect>();
}
