//===- ControlFlow.cpp - Interpretation of scf ops ------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handlers.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace lora::interpreter;

/// The values of the operands of a block's terminator.
static SmallVector<RuntimeValue> getYielded(Program &program, Block &block) {
  return llvm::map_to_vector(block.getTerminator()->getOperands(),
                             [&](Value value) { return program.get(value); });
}

static void bindAll(Program &program, ValueRange values, SmallVector<RuntimeValue> runtimeValues) {
  for (auto [value, runtimeValue] : llvm::zip(values, runtimeValues))
    program.bind(value, std::move(runtimeValue));
}

static LogicalResult evaluateIf(Program &program, scf::IfOp op) {
  Region &region = program.integer(op.getCondition()) ? op.getThenRegion() : op.getElseRegion();
  if (region.empty())
    return success();
  if (failed(program.evaluate(region.front())))
    return failure();
  bindAll(program, op.getResults(), getYielded(program, region.front()));
  return success();
}

static LogicalResult evaluateFor(Program &program, scf::ForOp op) {
  const Element element = program.tensor(op.getLowerBound()).element;
  const unsigned width = getBitWidth(element);
  int64_t lower = program.integer(op.getLowerBound());
  int64_t upper = program.integer(op.getUpperBound());
  const int64_t step = program.integer(op.getStep());
  if (step <= 0)
    return program.error(op) << "expected a positive step, got " << step;

  const uint64_t begin = zeroExtend(lower, width), end = zeroExtend(upper, width);
  const bool any = op.getUnsignedCmpAttr() ? begin < end : lower < upper;
  const uint64_t distance = zeroExtend(end - begin, width);
  const uint64_t trips = any ? (distance - 1) / step + 1 : 0;

  SmallVector<RuntimeValue> carried =
      llvm::map_to_vector(op.getInitArgs(), [&](Value value) { return program.get(value); });
  for (uint64_t trip = 0; trip != trips; ++trip) {
    program.bind(op.getInductionVar(), Tensor::scalar(element, begin + trip * step));
    bindAll(program, op.getRegionIterArgs(), std::move(carried));
    if (failed(program.evaluate(*op.getBody())))
      return failure();
    carried = getYielded(program, *op.getBody());
  }
  bindAll(program, op.getResults(), std::move(carried));
  return success();
}

void lora::interpreter::addControlFlow(HandlerTable &table) {
  table.add<evaluateFor>();
  table.add<evaluateIf>();
}
