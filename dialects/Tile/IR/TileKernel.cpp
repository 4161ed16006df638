//===- TileKernel.cpp - The tile.kernel op ----------------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Extent.h"
#include "Tile/Tile.h"
#include "lora/Support/Error.h"
#include "lora/Support/Expression.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace lora::tile;

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

/// Parses `keyword [element, ...]` if the keyword is there; `attribute` is an empty array if not.
static ParseResult parseClause(OpAsmParser &parser, StringRef keyword, ArrayAttr &attribute,
                               function_ref<ParseResult(SmallVectorImpl<Attribute> &)> element) {
  SmallVector<Attribute> elements;
  if (succeeded(parser.parseOptionalKeyword(keyword)) &&
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                     [&] { return element(elements); }))
    return failure();
  attribute = parser.getBuilder().getArrayAttr(elements);
  return success();
}

static ParseResult parseText(OpAsmParser &parser, SmallVectorImpl<Attribute> &elements) {
  std::string text;
  if (parser.parseString(&text))
    return failure();
  elements.push_back(parser.getBuilder().getStringAttr(text));
  return success();
}

/// Parses `name = default in [candidates]`, where `parseValue` reads one value.
template <typename Value, typename ParamAttrType>
static ParseResult parseParam(OpAsmParser &parser, SmallVectorImpl<Attribute> &elements,
                              function_ref<ParseResult(Value &)> parseValue) {
  std::string name;
  Value defaultValue;
  SmallVector<Value> candidates;
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseKeywordOrString(&name) || parser.parseEqual() || parseValue(defaultValue) ||
      parser.parseKeyword("in") ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                     [&] { return parseValue(candidates.emplace_back()); }))
    return failure();
  auto param =
      ParamAttrType::getChecked([&] { return parser.emitError(location); }, parser.getContext(),
                                StringRef(name), defaultValue, ArrayRef(candidates));
  if (!param)
    return failure();
  elements.push_back(param);
  return success();
}

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  StringAttr name;
  SmallVector<OpAsmParser::Argument> arguments;
  if (parser.parseSymbolName(name, SymbolTable::getSymbolAttrName(), result.attributes) ||
      parser.parseArgumentList(arguments, AsmParser::Delimiter::Paren, /*allowType=*/true))
    return failure();
  SmallVector<StringRef> names;
  for (const OpAsmParser::Argument &argument : arguments)
    names.push_back(argument.ssaName.name.drop_front());
  result.addAttribute("arg_names", parser.getBuilder().getStrArrayAttr(names));

  auto text = [&](SmallVectorImpl<Attribute> &elements) { return parseText(parser, elements); };
  auto param = [&](SmallVectorImpl<Attribute> &elements) {
    return parseParam<int64_t, ParamAttr>(parser, elements, [&](int64_t &value) -> ParseResult {
      return parser.parseInteger(value);
    });
  };
  auto typeParam = [&](SmallVectorImpl<Attribute> &elements) {
    return parseParam<Type, TypeParamAttr>(parser, elements,
                                           [&](Type &value) { return parser.parseType(value); });
  };
  ArrayAttr types, params, constraints, assumptions, awaits, grid;
  if (parseClause(parser, "types", types, typeParam) ||
      parseClause(parser, "params", params, param) ||
      parseClause(parser, "where", constraints, text) ||
      parseClause(parser, "assuming", assumptions, text) ||
      parseClause(parser, "awaits", awaits, text) || parseClause(parser, "grid", grid, text))
    return failure();
  result.addAttribute("type_params", types);
  result.addAttribute("params", params);
  result.addAttribute("constraints", constraints);
  result.addAttribute("assumptions", assumptions);
  result.addAttribute("awaits", awaits);
  result.addAttribute("grid", grid);
  if (succeeded(parser.parseOptionalKeyword("config"))) {
    DictionaryAttr config;
    if (parser.parseAttribute(config, "config", result.attributes))
      return failure();
  }
  return failure(parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
                 parser.parseRegion(*result.addRegion(), arguments));
}

void KernelOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getSymName());
  printer << '(';
  llvm::interleaveComma(getRegion().getArguments(), printer,
                        [&](BlockArgument argument) { printer.printRegionArgument(argument); });
  printer << ')';
  auto printClause = [&](StringRef keyword, ArrayAttr elements,
                         function_ref<void(Attribute)> printElement) {
    if (elements.empty())
      return;
    printer.printNewline();
    printer << "    " << keyword << " [";
    llvm::interleaveComma(elements, printer, printElement);
    printer << ']';
  };
  printClause("types", getTypeParams(), [&](Attribute attribute) {
    auto param = cast<TypeParamAttr>(attribute);
    printer << param.getName() << " = " << param.getDefaultType() << " in [";
    llvm::interleaveComma(param.getCandidates(), printer);
    printer << ']';
  });
  printClause("params", getParams(), [&](Attribute attribute) {
    auto param = cast<ParamAttr>(attribute);
    printer << param.getName() << " = " << param.getDefaultValue() << " in [";
    llvm::interleaveComma(param.getCandidates(), printer);
    printer << ']';
  });
  auto printText = [&](Attribute attribute) { printer << attribute; };
  printClause("where", getConstraints(), printText);
  printClause("assuming", getAssumptions(), printText);
  printClause("awaits", getAwaits(), printText);
  printClause("grid", getGrid(), printText);
  if (getConfig()) {
    printer.printNewline();
    printer << "    config " << *getConfig();
  }
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(), {"sym_name", "arg_names", "type_params", "params", "constraints",
                            "assumptions", "awaits", "grid", "config"});
  printer << ' ';
  printer.printRegion(getRegion(), /*printEntryBlockArgs=*/false);
}

void KernelOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn setName) {
  for (auto [argument, name] : llvm::zip(region.getArguments(), getArgNames()))
    setName(argument, cast<StringAttr>(name).getValue());
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

/// Checks that a text parses and names nothing but `known`.
static LogicalResult verifyExpression(Operation *op, StringRef clause, StringRef text,
                                      const llvm::StringSet<> &known) {
  try {
    for (const std::string &name : lora::Expression::parse(text.str()).names())
      if (!known.contains(name))
        return op->emitOpError() << "'" << clause << "' clause \"" << text << "\" names '" << name
                                 << "', which is no "
                                 << (clause == "where" ? "parameter"
                                                       : "parameter or integer argument")
                                 << " of the kernel";
  } catch (const lora::Error &error) {
    return op->emitOpError() << "'" << clause << "' clause: " << error.what();
  }
  return success();
}

LogicalResult KernelOp::verify() {
  Region &region = getRegion();
  if (getArgNames().size() != region.getNumArguments())
    return emitOpError("expected ")
           << region.getNumArguments() << " argument names, got " << getArgNames().size();
  if (getGrid().size() != 3)
    return emitOpError("expected a grid of three expressions, got ") << getGrid().size();

  llvm::StringSet<> parameters, integers, all;
  auto declare = [&](StringRef name) -> LogicalResult {
    if (!all.insert(name).second)
      return emitOpError("declares '") << name << "' twice";
    return success();
  };
  for (auto param : getParams().getAsRange<ParamAttr>()) {
    if (failed(declare(param.getName())))
      return failure();
    parameters.insert(param.getName());
  }
  for (auto param : getTypeParams().getAsRange<TypeParamAttr>())
    if (failed(declare(param.getName())))
      return failure();
  // What a specialised kernel has bound is known from its configuration alone.
  if (isSpecialized() && getConfig())
    for (NamedAttribute entry : getConfigAttr())
      if (isa<IntegerAttr>(entry.getValue()))
        parameters.insert(entry.getName());
  integers = parameters;
  for (auto [argument, nameAttr] : llvm::zip(region.getArguments(), getArgNames())) {
    StringRef name = cast<StringAttr>(nameAttr).getValue();
    if (failed(declare(name)))
      return failure();
    Type type = argument.getType();
    if (!type.isInteger(32) && !type.isInteger(64) && !type.isF32() && !isa<PtrType>(type))
      return emitOpError("expected argument '")
             << name << "' to be a pointer, i32, i64 or f32, got " << type;
    if (type.isInteger())
      integers.insert(name);
  }
  llvm::StringSet<> valued = integers;
  for (auto [argument, name] : llvm::zip(region.getArguments(), getArgNames()))
    if (isa<PtrType>(argument.getType()))
      valued.insert(cast<StringAttr>(name).getValue());

  for (auto text : getConstraints().getAsValueRange<StringAttr>())
    if (failed(verifyExpression(*this, "where", text, parameters)))
      return failure();
  for (auto text : getAssumptions().getAsValueRange<StringAttr>())
    if (failed(verifyExpression(*this, "assuming", text, valued)))
      return failure();
  for (auto name : getAwaits().getAsValueRange<StringAttr>())
    if (!valued.contains(name) || integers.contains(name))
      return emitOpError("'awaits' clause names '") << name << "', which is no pointer argument";
  for (auto text : getGrid().getAsValueRange<StringAttr>())
    if (failed(verifyExpression(*this, "grid", text, integers)))
      return failure();
  return success();
}

/// Reports a name inside `attribute` or `type` that the kernel does not declare.
static LogicalResult verifyNames(Operation *op, KernelOp kernel, AttrTypeWalker &walker) {
  auto isParam = [&](StringRef name) {
    return llvm::any_of(kernel.getParams().getAsRange<ParamAttr>(),
                        [&](ParamAttr param) { return param.getName() == name; });
  };
  auto isTypeParam = [&](StringRef name) {
    return llvm::any_of(kernel.getTypeParams().getAsRange<TypeParamAttr>(),
                        [&](TypeParamAttr param) { return param.getName() == name; });
  };
  auto checkExtent = [&](Attribute extent) {
    auto text = dyn_cast<StringAttr>(extent);
    if (!text)
      return WalkResult::advance();
    try {
      for (const std::string &name : lora::Expression::parse(text.getValue().str()).names())
        if (!isParam(name)) {
          op->emitOpError("names '")
              << name << "', which is no parameter of kernel @" << kernel.getSymName();
          return WalkResult::interrupt();
        }
    } catch (const lora::Error &error) {
      op->emitOpError() << error.what();
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  };
  walker.addWalk([&](ShapeAttr shape) {
    for (Attribute extent : shape.getExtents())
      if (checkExtent(extent).wasInterrupted())
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  walker.addWalk([&](ElementType type) {
    if (isTypeParam(type.getName()))
      return WalkResult::advance();
    op->emitOpError("names '") << type.getName() << "', which is no type parameter of kernel @"
                               << kernel.getSymName();
    return WalkResult::interrupt();
  });
  for (Type type : op->getResultTypes())
    if (walker.walk(type).wasInterrupted())
      return failure();
  for (Region &region : op->getRegions())
    for (BlockArgument argument : region.getArguments())
      if (walker.walk(argument.getType()).wasInterrupted())
        return failure();
  SmallVector<Attribute, 2> extents;
  if (auto param = dyn_cast<ParamOp>(op))
    extents = {param.getValue()};
  else if (auto assume = dyn_cast<AssumeDivisibleOp>(op))
    extents = {assume.getDivisor()};
  else if (auto sum = dyn_cast<SumOp>(op))
    extents = {sum.getStep(), sum.getSplit()};
  return failure(llvm::any_of(
      extents, [&](Attribute extent) { return checkExtent(extent).wasInterrupted(); }));
}

LogicalResult KernelOp::verifyRegions() {
  if (getBody()->empty() || !isa<ReturnOp>(getBody()->back()))
    return emitOpError("expected the body to end with tile.return");
  AttrTypeWalker argumentWalker;
  if (failed(verifyNames(*this, *this, argumentWalker)))
    return failure();
  WalkResult result = getBody()->walk([&](Operation *op) {
    AttrTypeWalker walker;
    return failed(verifyNames(op, *this, walker)) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

int64_t KernelOp::getConfigInt(StringRef name, int64_t otherwise) {
  auto value = getConfig() ? getConfig()->getAs<IntegerAttr>(name) : IntegerAttr();
  return value ? value.getInt() : otherwise;
}
