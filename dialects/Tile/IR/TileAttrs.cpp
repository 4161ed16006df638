//===- TileAttrs.cpp - Attributes of the tile dialect -----------------------===//
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
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace lora::tile;

//===----------------------------------------------------------------------===//
// Extents
//===----------------------------------------------------------------------===//

ParseResult lora::tile::parseExtent(AsmParser &parser, Attribute &extent) {
  int64_t number;
  OptionalParseResult isNumber = parser.parseOptionalInteger(number);
  if (isNumber.has_value()) {
    extent = parser.getBuilder().getI64IntegerAttr(number);
    return *isNumber;
  }
  std::string text;
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseKeywordOrString(&text))
    return failure();
  try {
    lora::Expression::parse(text);
  } catch (const lora::Error &error) {
    return parser.emitError(location, error.what());
  }
  extent = parser.getBuilder().getStringAttr(text);
  return success();
}

void lora::tile::printExtent(AsmPrinter &printer, Attribute extent) {
  if (auto text = dyn_cast<StringAttr>(extent))
    printer.printKeywordOrString(text.getValue());
  else
    printer << cast<IntegerAttr>(extent).getInt();
}

//===----------------------------------------------------------------------===//
// ParamAttr and TypeParamAttr
//===----------------------------------------------------------------------===//

Attribute ParamAttr::parse(AsmParser &parser, Type) {
  std::string name;
  int64_t defaultValue;
  SmallVector<int64_t> candidates;
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseKeywordOrString(&name) || parser.parseEqual() ||
      parser.parseInteger(defaultValue) || parser.parseKeyword("in") ||
      parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Square,
          [&] { return parser.parseInteger(candidates.emplace_back()); }) ||
      parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(location); }, parser.getContext(),
                    StringRef(name), defaultValue, candidates);
}

void ParamAttr::print(AsmPrinter &printer) const {
  printer << '<' << getName() << " = " << getDefaultValue() << " in [";
  llvm::interleaveComma(getCandidates(), printer);
  printer << "]>";
}

/// A parameter is named in expressions, so its name is an identifier there.
static LogicalResult verifyName(function_ref<InFlightDiagnostic()> emitError, StringRef name) {
  bool identifier = !name.empty() && !llvm::isDigit(name.front()) &&
                    llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; });
  if (!identifier)
    return emitError() << "expected letters, digits and '_' as the name of a parameter, got '"
                       << name << "'";
  return success();
}

LogicalResult ParamAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringRef name,
                                int64_t defaultValue, ArrayRef<int64_t> candidates) {
  if (failed(verifyName(emitError, name)))
    return failure();
  if (!llvm::is_contained(candidates, defaultValue))
    return emitError() << "expected the default of parameter '" << name
                       << "' among its candidates, got " << defaultValue;
  return success();
}

Attribute TypeParamAttr::parse(AsmParser &parser, Type) {
  std::string name;
  Type defaultType;
  SmallVector<Type> candidates;
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseKeywordOrString(&name) || parser.parseEqual() ||
      parser.parseType(defaultType) || parser.parseKeyword("in") ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                     [&] { return parser.parseType(candidates.emplace_back()); }) ||
      parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(location); }, parser.getContext(),
                    StringRef(name), defaultType, ArrayRef(candidates));
}

void TypeParamAttr::print(AsmPrinter &printer) const {
  printer << '<' << getName() << " = " << getDefaultType() << " in [";
  llvm::interleaveComma(getCandidates(), printer);
  printer << "]>";
}

LogicalResult TypeParamAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringRef name,
                                    Type defaultType, ArrayRef<Type> candidates) {
  if (failed(verifyName(emitError, name)))
    return failure();
  for (Type type : candidates)
    if (!type.isF16() && !type.isBF16() && !type.isF32())
      return emitError() << "expected f16, bf16 or f32 as a candidate of type parameter '" << name
                         << "', got " << type;
  if (!llvm::is_contained(candidates, defaultType))
    return emitError() << "expected the default of type parameter '" << name
                       << "' among its candidates, got " << defaultType;
  return success();
}

//===----------------------------------------------------------------------===//
// ShapeAttr
//===----------------------------------------------------------------------===//

Attribute ShapeAttr::parse(AsmParser &parser, Type) {
  SmallVector<Attribute> extents;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     [&] { return parseExtent(parser, extents.emplace_back()); }))
    return {};
  return get(parser.getContext(), extents);
}

void ShapeAttr::print(AsmPrinter &printer) const {
  printer << '<';
  llvm::interleaveComma(getExtents(), printer,
                        [&](Attribute extent) { printExtent(printer, extent); });
  printer << '>';
}

LogicalResult ShapeAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                                        function_ref<InFlightDiagnostic()> emitError) const {
  if (shape.size() != getExtents().size())
    return emitError() << "expected " << shape.size() << " extents in #tile.shape, got "
                       << getExtents().size();
  for (auto [size, extent] : llvm::zip(shape, getExtents())) {
    auto number = dyn_cast<IntegerAttr>(extent);
    if (number ? size != number.getInt() : !ShapedType::isDynamic(size))
      return emitError() << "expected a tensor size of "
                         << (number ? std::to_string(number.getInt()) : "?") << " for extent "
                         << extent << ", got "
                         << (ShapedType::isDynamic(size) ? "?" : std::to_string(size));
  }
  return success();
}

//===----------------------------------------------------------------------===//
// LayoutAttr
//===----------------------------------------------------------------------===//

static ParseResult parseBases(AsmParser &parser, StringRef keyword, unsigned &rank,
                              SmallVector<int32_t> &bases) {
  if (parser.parseKeyword(keyword) || parser.parseEqual())
    return failure();
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() -> ParseResult {
    SMLoc location = parser.getCurrentLocation();
    unsigned count = 0;
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
          ++count;
          return parser.parseInteger(bases.emplace_back());
        }))
      return failure();
    if (rank != 0 && count != rank)
      return parser.emitError(location)
             << "expected a vector of " << rank << " numbers, got " << count;
    rank = count;
    return success();
  });
}

Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  unsigned rank = 0;
  SmallVector<int32_t> registerBases, laneBases, warpBases;
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseLess() || parseBases(parser, "register", rank, registerBases) ||
      parser.parseComma() || parseBases(parser, "lane", rank, laneBases) || parser.parseComma() ||
      parseBases(parser, "warp", rank, warpBases) || parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(location); }, parser.getContext(), rank,
                    registerBases, laneBases, warpBases);
}

void LayoutAttr::print(AsmPrinter &printer) const {
  auto printBases = [&](StringRef keyword, ArrayRef<int32_t> bases) {
    printer << keyword << " = [";
    for (size_t i = 0; i < bases.size(); i += getRank()) {
      printer << (i ? ", [" : "[");
      llvm::interleaveComma(bases.slice(i, getRank()), printer);
      printer << ']';
    }
    printer << ']';
  };
  printer << '<';
  printBases("register", getRegisterBases());
  printBases(", lane", getLaneBases());
  printBases(", warp", getWarpBases());
  printer << '>';
}

LogicalResult LayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError, unsigned rank,
                                 ArrayRef<int32_t> registerBases, ArrayRef<int32_t> laneBases,
                                 ArrayRef<int32_t> warpBases) {
  if (rank == 0 || laneBases.size() != 5 * rank)
    return emitError() << "expected five lane vectors, got "
                       << laneBases.size() / std::max(1u, rank);
  for (ArrayRef<int32_t> bases : {registerBases, laneBases, warpBases})
    for (int32_t value : bases)
      if (value != 0 && !llvm::isPowerOf2_32(value))
        return emitError() << "expected zero or a power of two in a layout vector, got " << value;
  return success();
}

LogicalResult LayoutAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                                         function_ref<InFlightDiagnostic()> emitError) const {
  if (shape.size() != getRank())
    return emitError() << "expected a layout of rank " << shape.size() << ", got " << getRank();
  SmallVector<int64_t> bits(shape.size(), 0);
  for (ArrayRef<int32_t> bases : {getRegisterBases(), getLaneBases(), getWarpBases()})
    for (auto [i, value] : llvm::enumerate(bases)) {
      unsigned d = i % getRank();
      if (bits[d] & value)
        return emitError() << "expected a layout with each power of two once in dimension " << d
                           << ", got " << value << " twice";
      bits[d] |= value;
    }
  for (unsigned d = 0; d != getRank(); ++d)
    if (bits[d] + 1 != shape[d])
      return emitError() << "expected a layout that covers dimension " << d << " of size "
                         << shape[d] << ", got one that covers " << bits[d] + 1;
  return success();
}

//===----------------------------------------------------------------------===//
// ScheduleAttr
//===----------------------------------------------------------------------===//

LogicalResult ScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError, OperandPath path,
                                   unsigned stages, unsigned warpsM, unsigned warpsN,
                                   unsigned warpsK, SplitStrategy) {
  for (unsigned warps : {warpsM, warpsN, warpsK})
    if (!llvm::isPowerOf2_32(warps))
      return emitError() << "expected a power of two of warps in each dimension, got " << warps;
  unsigned least = path == OperandPath::Shared ? 2 : 1;
  if (stages < least)
    return emitError() << "expected at least " << least << " stages with path "
                       << stringifyOperandPath(path) << ", got " << stages;
  return success();
}

#define GET_ATTRDEF_CLASSES
#include "Tile/TileAttrs.cpp.inc"

void TileDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "Tile/TileAttrs.cpp.inc"
      >();
}
