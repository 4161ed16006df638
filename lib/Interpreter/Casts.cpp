//===- Casts.cpp - Interpretation of constants and conversions ------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handlers.h"
#include "Tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cmath>

using namespace mlir;
using namespace lora;
using namespace lora::interpreter;

static LogicalResult evaluateConstant(Program &program, arith::ConstantOp op) {
  std::optional<Tensor> value = Tensor::fromAttribute(op.getValue());
  if (!value)
    return program.error(op) << "expected an integer, a float or dense elements, got "
                             << op.getValue();
  program.bind(op.getResult(), std::move(*value));
  return success();
}

static LogicalResult evaluateFloatToFloat(Program &program, Operation *op) {
  Tensor result(op->getResultTypes()[0]);
  result.floats = program.tensor(op->getOperand(0)).floats;
  result.normalize();
  program.bind(op->getResult(0), std::move(result));
  return success();
}

static LogicalResult evaluateTruncF(Program &program, arith::TruncFOp op) {
  auto mode = op.getRoundingmode();
  if (mode && *mode != arith::RoundingMode::to_nearest_even)
    return program.error(op) << "expected rounding to_nearest_even, got "
                             << arith::stringifyRoundingMode(*mode);
  return evaluateFloatToFloat(program, op);
}

/// Between integers: `extsi` and `index_cast` take the signed value, `trunci` and narrowing casts
/// wrap it around.
static LogicalResult evaluateSignedResize(Program &program, Operation *op) {
  Tensor result(op->getResultTypes()[0]);
  result.ints = program.tensor(op->getOperand(0)).ints;
  result.normalize();
  program.bind(op->getResult(0), std::move(result));
  return success();
}

static LogicalResult evaluateUnsignedResize(Program &program, Operation *op) {
  const Tensor &operand = program.tensor(op->getOperand(0));
  Tensor result(op->getResultTypes()[0]);
  for (int64_t i = 0, size = result.size(); i != size; ++i)
    result.setBits(i, operand.getBits(i));
  program.bind(op->getResult(0), std::move(result));
  return success();
}

template <bool isSigned> static LogicalResult evaluateToFloat(Program &program, Operation *op) {
  const Tensor &operand = program.tensor(op->getOperand(0));
  Tensor result(op->getResultTypes()[0]);
  for (int64_t i = 0, size = result.size(); i != size; ++i)
    result.floats[i] =
        isSigned ? static_cast<float>(operand.ints[i]) : static_cast<float>(operand.getBits(i));
  result.normalize();
  program.bind(op->getResult(0), std::move(result));
  return success();
}

/// Rounds towards zero; a value that does not fit is undefined.
template <bool isSigned> static LogicalResult evaluateToInteger(Program &program, Operation *op) {
  const Tensor &operand = program.tensor(op->getOperand(0));
  Tensor result(op->getResultTypes()[0]);
  const int width = getBitWidth(result.element);
  const float limit = std::ldexp(1.0f, isSigned ? width - 1 : width);
  for (int64_t i = 0, size = result.size(); i != size; ++i) {
    const float value = std::trunc(operand.floats[i]);
    if (!(value < limit && value >= (isSigned ? -limit : 0.0f))) {
      const float found = operand.floats[i];
      return program.error(op) << "expected a value that fits " << op->getResultTypes()[0]
                               << ", got " << found << " at element " << i;
    }
    result.ints[i] =
        isSigned ? static_cast<int64_t>(value) : static_cast<int64_t>(static_cast<uint64_t>(value));
  }
  result.normalize();
  program.bind(op->getResult(0), std::move(result));
  return success();
}

static LogicalResult evaluateBitcast(Program &program, arith::BitcastOp op) {
  const Tensor &operand = program.tensor(op.getIn());
  Tensor result(op.getType());
  for (int64_t i = 0, size = result.size(); i != size; ++i)
    result.setBits(i, operand.getBits(i));
  program.bind(op.getResult(), std::move(result));
  return success();
}

void lora::interpreter::addCasts(HandlerTable &table) {
  table.add<evaluateBitcast>();
  table.add<evaluateConstant>();
  table.add<evaluateTruncF>();
  table.add<tile::CastOp>(evaluateFloatToFloat);
  table.add<arith::ExtFOp>(evaluateFloatToFloat);
  table.add<arith::ExtSIOp>(evaluateSignedResize);
  table.add<arith::TruncIOp>(evaluateSignedResize);
  table.add<arith::IndexCastOp>(evaluateSignedResize);
  table.add<arith::ExtUIOp>(evaluateUnsignedResize);
  table.add<arith::IndexCastUIOp>(evaluateUnsignedResize);
  table.add<arith::SIToFPOp>(evaluateToFloat<true>);
  table.add<arith::UIToFPOp>(evaluateToFloat<false>);
  table.add<arith::FPToSIOp>(evaluateToInteger<true>);
  table.add<arith::FPToUIOp>(evaluateToInteger<false>);
}
