//===- Handlers.h - The table of ops that can be interpreted --------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "Program.h"

#include "mlir/IR/OpDefinition.h"
#include "mlir/Support/TypeID.h"

namespace lora::interpreter {

/// Evaluates an op: reads its operands from the program and binds its results.
using Handler = mlir::LogicalResult (*)(Program &program, mlir::Operation *op);

/// The handlers of all ops, by the op's class.
class HandlerTable {
public:
  template <typename Op> void add(Handler handler) { handlers[mlir::TypeID::get<Op>()] = handler; }

  /// Adds a function `LogicalResult evaluate(Program &, Op)` as the handler of `Op`.
  template <auto evaluate> void add() { addTyped<evaluate>(evaluate); }

  /// The handler of an op, or null.
  Handler find(mlir::Operation *op) const { return handlers.lookup(op->getName().getTypeID()); }

private:
  template <auto evaluate, typename Op> void addTyped(mlir::LogicalResult (*)(Program &, Op)) {
    add<Op>([](Program &program, mlir::Operation *op) {
      return evaluate(program, llvm::cast<Op>(op));
    });
  }

  llvm::DenseMap<mlir::TypeID, Handler> handlers;
};

void addAccesses(HandlerTable &table);
void addCasts(HandlerTable &table);
void addComparisons(HandlerTable &table);
void addControlFlow(HandlerTable &table);
void addFloatArithmetic(HandlerTable &table);
void addIntegerArithmetic(HandlerTable &table);
void addSum(HandlerTable &table);
void addTiles(HandlerTable &table);
void addViews(HandlerTable &table);

} // namespace lora::interpreter
