//===- IntegerArithmetic.cpp - Interpretation of integer arithmetic -------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handlers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace lora::interpreter;

namespace {

/// The operands of an integer op: the signed values, and how to read them without a sign.
struct Pair {
  int64_t a, b;
  unsigned width;

  uint64_t unsignedA() const { return zeroExtend(a, width); }
  uint64_t unsignedB() const { return zeroExtend(b, width); }
  int64_t smallest() const { return signExtend(uint64_t(1) << (width - 1), width); }
};

/// A result before it wraps around, or what makes it undefined.
struct Result {
  Result(uint64_t value) : value(value) {}
  Result(int64_t value) : value(value) {}
  Result(const char *problem) : problem(problem) {}

  uint64_t value = 0;
  const char *problem = nullptr;
};

} // namespace

/// Applies `F(Pair) -> Result` to each pair of elements.
template <auto F> static LogicalResult evaluateIntegers(Program &program, Operation *op) {
  const Tensor &lhs = program.tensor(op->getOperand(0)), &rhs = program.tensor(op->getOperand(1));
  const unsigned width = getBitWidth(lhs.element);
  Tensor result = lhs;
  for (int64_t i = 0, size = result.size(); i != size; ++i) {
    const Result value = F(Pair{lhs.ints[i], rhs.ints[i], width});
    if (value.problem)
      return program.error(op) << value.problem << ": operands " << lhs.ints[i] << " and "
                               << rhs.ints[i] << " at element " << i;
    result.ints[i] = value.value;
  }
  result.normalize();
  program.bind(op->getResult(0), std::move(result));
  return success();
}

/// What makes a signed division undefined, or null.
static const char *checkSigned(Pair p) {
  if (p.b == 0)
    return "division by zero";
  return p.a == p.smallest() && p.b == -1 ? "the quotient overflows" : nullptr;
}

/// Quotient of a defined signed division, rounded down.
static int64_t floorDivide(Pair p) {
  return p.a / p.b - (p.a % p.b != 0 && (p.a < 0) != (p.b < 0));
}

template <auto F> static Result divideSigned(Pair p) {
  const char *problem = checkSigned(p);
  return problem ? Result(problem) : Result(static_cast<int64_t>(F(p)));
}

template <auto F> static Result divideUnsigned(Pair p) {
  if (p.b == 0)
    return "division by zero";
  return static_cast<uint64_t>(F(p.unsignedA(), p.unsignedB()));
}

template <auto F> static Result shift(Pair p) {
  if (p.unsignedB() >= p.width)
    return "expected a shift by less than the width";
  return F(p);
}

static Result shiftLeft(Pair p) { return p.unsignedA() << p.unsignedB(); }
static Result shiftRightSigned(Pair p) { return p.a >> p.unsignedB(); }
static Result shiftRightUnsigned(Pair p) { return p.unsignedA() >> p.unsignedB(); }

static void addDivisions(HandlerTable &table) {
  table.add<arith::DivSIOp>(evaluateIntegers<divideSigned<[](Pair p) { return p.a / p.b; }>>);
  table.add<arith::FloorDivSIOp>(evaluateIntegers<divideSigned<floorDivide>>);
  table.add<arith::CeilDivSIOp>(
      evaluateIntegers<divideSigned<[](Pair p) { return floorDivide(p) + (p.a % p.b != 0); }>>);
  // As in LLVM, a remainder is undefined where the quotient is.
  table.add<arith::RemSIOp>(evaluateIntegers<divideSigned<[](Pair p) { return p.a % p.b; }>>);
  table.add<arith::DivUIOp>(
      evaluateIntegers<divideUnsigned<[](uint64_t a, uint64_t b) { return a / b; }>>);
  table.add<arith::CeilDivUIOp>(
      evaluateIntegers<
          divideUnsigned<[](uint64_t a, uint64_t b) { return a / b + (a % b != 0); }>>);
  table.add<arith::RemUIOp>(
      evaluateIntegers<divideUnsigned<[](uint64_t a, uint64_t b) { return a % b; }>>);
}

void lora::interpreter::addIntegerArithmetic(HandlerTable &table) {
  addDivisions(table);
  table.add<arith::AddIOp>(
      evaluateIntegers<[](Pair p) -> Result { return p.unsignedA() + p.unsignedB(); }>);
  table.add<arith::SubIOp>(
      evaluateIntegers<[](Pair p) -> Result { return p.unsignedA() - p.unsignedB(); }>);
  table.add<arith::MulIOp>(
      evaluateIntegers<[](Pair p) -> Result { return p.unsignedA() * p.unsignedB(); }>);
  table.add<arith::MinSIOp>(evaluateIntegers<[](Pair p) -> Result { return std::min(p.a, p.b); }>);
  table.add<arith::MaxSIOp>(evaluateIntegers<[](Pair p) -> Result { return std::max(p.a, p.b); }>);
  table.add<arith::MinUIOp>(
      evaluateIntegers<[](Pair p) -> Result { return std::min(p.unsignedA(), p.unsignedB()); }>);
  table.add<arith::MaxUIOp>(
      evaluateIntegers<[](Pair p) -> Result { return std::max(p.unsignedA(), p.unsignedB()); }>);
  table.add<arith::AndIOp>(evaluateIntegers<[](Pair p) -> Result { return p.a & p.b; }>);
  table.add<arith::OrIOp>(evaluateIntegers<[](Pair p) -> Result { return p.a | p.b; }>);
  table.add<arith::XOrIOp>(evaluateIntegers<[](Pair p) -> Result { return p.a ^ p.b; }>);
  table.add<arith::ShLIOp>(evaluateIntegers<shift<shiftLeft>>);
  table.add<arith::ShRSIOp>(evaluateIntegers<shift<shiftRightSigned>>);
  table.add<arith::ShRUIOp>(evaluateIntegers<shift<shiftRightUnsigned>>);
}
