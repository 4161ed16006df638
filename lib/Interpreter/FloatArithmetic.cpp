//===- FloatArithmetic.cpp - Interpretation of float arithmetic -----------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handlers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;
using namespace lora::interpreter;

/// Applies `F`, a function of one to three floats, to each element and rounds to the element type.
template <auto F> static LogicalResult evaluateFloats(Program &program, Operation *op) {
  const Tensor &first = program.tensor(op->getOperand(0));
  Tensor result = first;
  const int64_t size = result.size();
  auto operand = [&](unsigned i) { return program.tensor(op->getOperand(i)).floats.data(); };
  const float *a = first.floats.data();
  if constexpr (std::is_invocable_v<decltype(F), float>) {
    for (int64_t i = 0; i != size; ++i)
      result.floats[i] = F(a[i]);
  } else if constexpr (std::is_invocable_v<decltype(F), float, float>) {
    const float *b = operand(1);
    for (int64_t i = 0; i != size; ++i)
      result.floats[i] = F(a[i], b[i]);
  } else {
    const float *b = operand(1), *c = operand(2);
    for (int64_t i = 0; i != size; ++i)
      result.floats[i] = F(a[i], b[i], c[i]);
  }
  result.normalize();
  program.bind(op->getResult(0), std::move(result));
  return success();
}

/// The smaller of two numbers, -0 counting as smaller than +0.
static float smaller(float a, float b) { return a < b || (a == b && std::signbit(a)) ? a : b; }
static float larger(float a, float b) { return a > b || (a == b && !std::signbit(a)) ? a : b; }

void lora::interpreter::addFloatArithmetic(HandlerTable &table) {
  table.add<arith::AddFOp>(evaluateFloats<[](float a, float b) { return a + b; }>);
  table.add<arith::SubFOp>(evaluateFloats<[](float a, float b) { return a - b; }>);
  table.add<arith::MulFOp>(evaluateFloats<[](float a, float b) { return a * b; }>);
  table.add<arith::DivFOp>(evaluateFloats<[](float a, float b) { return a / b; }>);
  table.add<arith::NegFOp>(evaluateFloats<[](float a) { return -a; }>);
  // `maximumf` and `minimumf` propagate NaN; `maxnumf` and `minnumf` prefer the other operand.
  table.add<arith::MaximumFOp>(evaluateFloats<[](float a, float b) {
    return std::isunordered(a, b) ? a + b : larger(a, b);
  }>);
  table.add<arith::MinimumFOp>(evaluateFloats<[](float a, float b) {
    return std::isunordered(a, b) ? a + b : smaller(a, b);
  }>);
  table.add<arith::MaxNumFOp>(evaluateFloats<[](float a, float b) {
    return std::isnan(a) ? b : std::isnan(b) ? a : larger(a, b);
  }>);
  table.add<arith::MinNumFOp>(evaluateFloats<[](float a, float b) {
    return std::isnan(a) ? b : std::isnan(b) ? a : smaller(a, b);
  }>);

  table.add<math::AbsFOp>(evaluateFloats<[](float a) { return std::fabs(a); }>);
  table.add<math::SqrtOp>(evaluateFloats<[](float a) { return std::sqrt(a); }>);
  table.add<math::RsqrtOp>(evaluateFloats<[](float a) {
    return static_cast<float>(1.0 / std::sqrt(static_cast<double>(a)));
  }>);
  table.add<math::ExpOp>(evaluateFloats<[](float a) { return std::exp(a); }>);
  table.add<math::Exp2Op>(evaluateFloats<[](float a) { return std::exp2(a); }>);
  table.add<math::LogOp>(evaluateFloats<[](float a) { return std::log(a); }>);
  table.add<math::Log2Op>(evaluateFloats<[](float a) { return std::log2(a); }>);
  table.add<math::TanhOp>(evaluateFloats<[](float a) { return std::tanh(a); }>);
  table.add<math::FloorOp>(evaluateFloats<[](float a) { return std::floor(a); }>);
  table.add<math::CeilOp>(evaluateFloats<[](float a) { return std::ceil(a); }>);
  table.add<math::FmaOp>(
      evaluateFloats<[](float a, float b, float c) { return std::fma(a, b, c); }>);
}
