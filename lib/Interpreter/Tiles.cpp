//===- Tiles.cpp - Interpretation of ops that make tiles and scalars ------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Dot.h"
#include "Handlers.h"
#include "Tile/Tile.h"

#include <numeric>

using namespace mlir;
using namespace lora;
using namespace lora::interpreter;

static LogicalResult evaluateParam(Program &program, tile::ParamOp op) {
  auto value = dyn_cast<IntegerAttr>(op.getValue());
  if (!value)
    return program.error(op) << "expected a specialised kernel, got the expression "
                             << op.getValue();
  program.bind(op.getResult(), Tensor::scalar(*getElement(op.getType()), value.getInt()));
  return success();
}

static LogicalResult evaluateProgramId(Program &program, tile::ProgramIdOp op) {
  program.bind(op.getResult(),
               Tensor::scalar(Element::I32, program.id[static_cast<unsigned>(op.getAxis())]));
  return success();
}

static LogicalResult evaluateAssumeDivisible(Program &program, tile::AssumeDivisibleOp op) {
  auto divisor = dyn_cast<IntegerAttr>(op.getDivisor());
  if (!divisor)
    return program.error(op) << "expected a specialised kernel, got the divisor "
                             << op.getDivisor();
  if (divisor.getInt() <= 0)
    return program.error(op) << "expected a positive divisor, got " << divisor.getInt();
  const Tensor &value = program.tensor(op.getOperand());
  const bool isPointer = value.element == Element::Pointer;
  const int64_t remainder = isPointer ? static_cast<int64_t>(value.getBits(0) % divisor.getInt())
                                      : value.ints[0] % divisor.getInt();
  if (remainder != 0) {
    InFlightDiagnostic diagnostic = program.error(op)
                                    << "expected a multiple of " << divisor.getInt() << ", got ";
    if (isPointer)
      return diagnostic << "an address that is " << remainder << " modulo it";
    return diagnostic << value.ints[0];
  }
  program.bind(op.getResult(), value);
  return success();
}

static LogicalResult evaluateSplat(Program &program, tile::SplatOp op) {
  Tensor result(op.getType());
  result.fill(program.tensor(op.getOperand()));
  program.bind(op.getResult(), std::move(result));
  return success();
}

static LogicalResult evaluateIota(Program &program, tile::IotaOp op) {
  Tensor result(op.getType());
  std::iota(result.ints.begin(), result.ints.end(), 0);
  program.bind(op.getResult(), std::move(result));
  return success();
}

/// A matrix whose element at row i and column j is element `source(i, j)` of the operand.
static Tensor takeElements(Type type, const Tensor &operand,
                           llvm::function_ref<int64_t(int64_t, int64_t)> source) {
  Tensor result(type);
  int64_t index = 0;
  for (int64_t i = 0; i != result.shape[0]; ++i)
    for (int64_t j = 0; j != result.shape[1]; ++j, ++index)
      if (isFloat(result.element))
        result.floats[index] = operand.floats[source(i, j)];
      else
        result.ints[index] = operand.ints[source(i, j)];
  return result;
}

static LogicalResult evaluateBroadcast(Program &program, tile::BroadcastOp op) {
  const bool repeatsColumn = op.getDimension() == 1;
  program.bind(op.getResult(),
               takeElements(op.getType(), program.tensor(op.getOperand()),
                            [&](int64_t i, int64_t j) { return repeatsColumn ? i : j; }));
  return success();
}

static LogicalResult evaluateSlice(Program &program, tile::SliceOp op) {
  const Tensor &operand = program.tensor(op.getOperand());
  const int64_t column = program.tensor(op.getColumn()).ints[0];
  const int64_t width = cast<RankedTensorType>(op.getType()).getDimSize(1);
  const int64_t columns = operand.shape[1];
  if (column < 0 || column + width > columns || column % width != 0)
    return program.error(op) << "expected a multiple of " << width << " inside of " << columns
                             << " columns, got " << column;
  program.bind(op.getResult(), takeElements(op.getType(), operand, [&](int64_t i, int64_t j) {
                 return i * columns + column + j;
               }));
  return success();
}

static LogicalResult evaluateDot(Program &program, tile::DotOp op) {
  Tensor result = op.getAccumulator() ? program.tensor(op.getAccumulator()) : Tensor(op.getType());
  accumulateDot(program.tensor(op.getLhs()), program.tensor(op.getRhs()), result);
  program.bind(op.getResult(), std::move(result));
  return success();
}

/// A layout says where elements are, not what they are.
static LogicalResult evaluateConvertLayout(Program &program, tile::ConvertLayoutOp op) {
  program.bind(op.getResult(), program.tensor(op.getOperand()));
  return success();
}

void lora::interpreter::addTiles(HandlerTable &table) {
  table.add<evaluateAssumeDivisible>();
  table.add<evaluateBroadcast>();
  table.add<evaluateConvertLayout>();
  table.add<evaluateDot>();
  table.add<evaluateIota>();
  table.add<evaluateParam>();
  table.add<evaluateProgramId>();
  table.add<evaluateSlice>();
  table.add<evaluateSplat>();
}
