//===- Interpreter.cpp - Evaluation of tile kernels -----------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Interpreter/Interpreter.h"
#include "Handlers.h"
#include "lora/Support/Error.h"
#include "lora/Support/Expression.h"

#include "mlir/IR/TypeUtilities.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

using namespace mlir;
using namespace lora;
using namespace lora::interpreter;

static const HandlerTable &getHandlers() {
  static const HandlerTable table = [] {
    HandlerTable table;
    addAccesses(table);
    addCasts(table);
    addComparisons(table);
    addControlFlow(table);
    addFloatArithmetic(table);
    addIntegerArithmetic(table);
    addSum(table);
    addTiles(table);
    addViews(table);
    return table;
  }();
  return table;
}

//===----------------------------------------------------------------------===//
// Program
//===----------------------------------------------------------------------===//

InFlightDiagnostic Program::error(Operation *op) const {
  return op->emitOpError() << "in program (" << id[0] << ", " << id[1] << ", " << id[2] << "): ";
}

LogicalResult Program::evaluate(Operation *op) { return launch.handlers.find(op)(*this, op); }

LogicalResult Program::evaluate(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(evaluate(&op)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Checks before the first program
//===----------------------------------------------------------------------===//

static LogicalResult checkType(Operation *op, Type type) {
  // Far more than any machine's registers hold; keeps a typing error from exhausting memory.
  constexpr int64_t kMaxElements = 1 << 24;

  Type element = getElementTypeOrSelf(type);
  if (auto view = dyn_cast<tile::ViewType>(type))
    element = view.getElementType();
  if (!getElement(element))
    return op->emitOpError("expected values of i1, i32, i64, index, f16, bf16, f32 or pointers, "
                           "got ")
           << type;
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped)
    return success();
  if (!tile::isTile(type))
    return op->emitOpError("expected a tile of rank 1 or 2 with sizes that are powers of two, got ")
           << type;
  if (!shaped.hasStaticShape())
    return op->emitOpError("expected a specialised kernel, got a tile of type ") << type;
  if (shaped.getNumElements() > kMaxElements)
    return op->emitOpError("expected a tile of at most ")
           << kMaxElements << " elements, got " << type;
  return success();
}

/// Checks that every op has a handler and every value a type that the interpreter can hold, so that
/// no handler needs to.
static LogicalResult checkBody(tile::KernelOp kernel, const HandlerTable &handlers) {
  WalkResult result = kernel.getBody()->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!op->hasTrait<OpTrait::IsTerminator>() && !handlers.find(op)) {
      op->emitError("expected an op that can be interpreted, got '") << op->getName() << "'";
      return WalkResult::interrupt();
    }
    for (Type type : op->getResultTypes())
      if (failed(checkType(op, type)))
        return WalkResult::interrupt();
    for (Region &region : op->getRegions())
      for (Type type : region.getArgumentTypes())
        if (failed(checkType(op, type)))
          return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

static const char *getTypeName(const KernelArgument &argument) {
  constexpr const char *kNames[] = {"an address", "an i32", "an i64", "an f32"};
  return kNames[argument.index()];
}

/// The arguments as run-time values, or failure if their number or types are not the kernel's.
static FailureOr<SmallVector<Tensor>> convertArguments(tile::KernelOp kernel,
                                                       ArrayRef<KernelArgument> arguments) {
  Block *body = kernel.getBody();
  if (arguments.size() != body->getNumArguments())
    return kernel.emitOpError("expected ")
           << body->getNumArguments() << " arguments, got " << arguments.size();
  SmallVector<Tensor> tensors;
  for (auto [parameter, name, argument] :
       llvm::zip(body->getArgumentTypes(), kernel.getArgNames(), arguments)) {
    auto *address = std::get_if<uint64_t>(&argument);
    auto *i32 = std::get_if<int32_t>(&argument);
    auto *i64 = std::get_if<int64_t>(&argument);
    auto *f32 = std::get_if<float>(&argument);
    if (address && isa<tile::PtrType>(parameter))
      tensors.push_back(Tensor::scalar(Element::Pointer, *address));
    else if (i32 && parameter.isInteger(32))
      tensors.push_back(Tensor::scalar(Element::I32, *i32));
    else if (i64 && parameter.isInteger(64))
      tensors.push_back(Tensor::scalar(Element::I64, *i64));
    else if (f32 && parameter.isF32())
      tensors.push_back(Tensor::scalar(*f32));
    else
      return kernel.emitOpError("argument '") << cast<StringAttr>(name).getValue() << "': expected "
                                              << parameter << ", got " << getTypeName(argument);
  }
  return tensors;
}

/// Checks the conditions of the `assuming` clause over the arguments and the configuration.
static LogicalResult checkAssumptions(tile::KernelOp kernel, ArrayRef<Tensor> arguments) {
  llvm::StringMap<int64_t> known;
  if (DictionaryAttr config = kernel.getConfigAttr())
    for (NamedAttribute entry : config)
      if (auto value = dyn_cast<IntegerAttr>(entry.getValue()))
        known[entry.getName()] = value.getInt();
  for (auto [name, argument] : llvm::zip(kernel.getArgNames(), arguments))
    if (!isFloat(argument.element))
      known[cast<StringAttr>(name).getValue()] = argument.ints[0];
  auto lookup = [&](std::string_view name) -> std::optional<int64_t> {
    auto entry = known.find(name);
    return entry == known.end() ? std::nullopt : std::optional(entry->second);
  };
  for (StringRef text : kernel.getAssumptions().getAsValueRange<StringAttr>()) {
    try {
      Expression expression = Expression::parse(text.str());
      if (expression.evaluate(lookup) != 0)
        continue;
      InFlightDiagnostic diagnostic = kernel.emitOpError("expected arguments that satisfy \"")
                                      << text << "\", got ";
      llvm::interleaveComma(expression.names(), diagnostic, [&](const std::string &name) {
        diagnostic << name << " = " << known[name];
      });
      return diagnostic;
    } catch (const Error &error) {
      return kernel.emitOpError("'assuming' clause: ") << error.what();
    }
  }
  return success();
}

/// The number of programs of a grid.
static FailureOr<int64_t> countPrograms(tile::KernelOp kernel, GridPoint grid) {
  constexpr int64_t kMaxPrograms = std::numeric_limits<int32_t>::max();
  int64_t programs = 1;
  for (int64_t size : grid)
    if (size < 0 || __builtin_mul_overflow(programs, size, &programs) || programs > kMaxPrograms)
      return kernel.emitOpError("expected a grid of at most ")
             << kMaxPrograms << " programs and no negative size, got " << grid[0] << " x "
             << grid[1] << " x " << grid[2];
  return programs;
}

//===----------------------------------------------------------------------===//
// Programs of a launch
//===----------------------------------------------------------------------===//

/// The positions 0, 1, ..., count - 1 in a random order.
static std::vector<int32_t> shuffle(int64_t count, uint64_t seed) {
  std::vector<int32_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  std::mt19937_64 random(seed);
  for (int64_t i = count - 1; i > 0; --i)
    std::swap(order[i], order[random() % (i + 1)]);
  return order;
}

/// Checks that the programs of every group have evaluated each split sum equally often.
static LogicalResult checkGroups(const Launch &launch) {
  for (const auto &[key, counts] : launch.evaluations) {
    auto [least, most] = std::minmax_element(counts.begin(), counts.end());
    if (*least != *most)
      return key.first->emitOpError("expected all ")
             << counts.size() << " programs of a group to evaluate it equally often, got program "
             << least - counts.begin() << " of a group that did so " << *least
             << " times and program " << most - counts.begin() << " that did " << *most << " times";
  }
  return success();
}

LogicalResult interpreter::interpret(tile::KernelOp kernel, ArrayRef<KernelArgument> arguments,
                                     std::array<int64_t, 3> grid, const Memory &memory,
                                     const Options &options) {
  if (!kernel.isSpecialized())
    return kernel.emitOpError("expected a specialised kernel, got one with parameters");
  Launch launch(getHandlers(), memory, grid);
  FailureOr<SmallVector<Tensor>> values = convertArguments(kernel, arguments);
  if (failed(values) || failed(checkBody(kernel, launch.handlers)) ||
      failed(checkAssumptions(kernel, *values)))
    return failure();
  FailureOr<int64_t> programs = countPrograms(kernel, grid);
  if (failed(programs))
    return failure();

  std::vector<int32_t> order;
  if (options.shuffleSeed)
    order = shuffle(*programs, *options.shuffleSeed);
  for (int64_t i = 0; i != *programs; ++i) {
    Program program(launch, launch.delinearize(order.empty() ? i : order[i]));
    for (auto [parameter, value] : llvm::zip(kernel.getBody()->getArguments(), *values))
      program.bind(parameter, value);
    if (failed(program.evaluate(*kernel.getBody())))
      return failure();
  }
  return checkGroups(launch);
}
