//===- TileSum.cpp - The tile.sum op ----------------------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Extent.h"
#include "Tile/Tile.h"

#include "mlir/IR/Builders.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace lora::tile;

ParseResult SumOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  OpAsmParser::Argument iv;
  OpAsmParser::UnresolvedOperand extent;
  Attribute step, split = builder.getI64IntegerAttr(1);
  Axis axis = Axis::x;
  Visibility visibility = Visibility::All;
  if (parser.parseArgument(iv) || parser.parseKeyword("below") || parser.parseOperand(extent) ||
      parser.parseKeyword("step") || parseExtent(parser, step))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("split"))) {
    StringRef axisName, visibilityName;
    if (parseExtent(parser, split) || parser.parseKeyword("across"))
      return failure();
    SMLoc location = parser.getCurrentLocation();
    if (parser.parseKeyword(&axisName) || parser.parseKeyword("to") ||
        parser.parseKeyword(&visibilityName))
      return failure();
    auto parsedAxis = symbolizeAxis(axisName);
    auto parsedVisibility = symbolizeVisibility(visibilityName);
    if (!parsedAxis || !parsedVisibility)
      return parser.emitError(location)
             << "expected 'x', 'y' or 'z', 'to', and 'one' or 'all', got '" << axisName << " to "
             << visibilityName << "'";
    axis = *parsedAxis;
    visibility = *parsedVisibility;
  }
  if (succeeded(parser.parseOptionalKeyword("schedule"))) {
    Attribute schedule;
    if (parser.parseAttribute(schedule, "schedule", result.attributes))
      return failure();
  }
  Type type;
  iv.type = builder.getI32Type();
  if (parser.parseArrow() || parser.parseType(type) ||
      parser.resolveOperand(extent, builder.getI32Type(), result.operands) ||
      parser.parseRegion(*result.addRegion(), iv) ||
      parser.parseOptionalAttrDict(result.attributes))
    return failure();
  ensureTerminator(*result.regions.front(), builder, result.location);
  result.addAttribute("step", step);
  result.addAttribute("split", split);
  result.addAttribute("axis", AxisAttr::get(parser.getContext(), axis));
  result.addAttribute("visibility", VisibilityAttr::get(parser.getContext(), visibility));
  result.addTypes({type, builder.getI1Type()});
  return success();
}

void SumOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printRegionArgument(getInductionVar(), {}, /*omitType=*/true);
  printer << " below " << getExtent() << " step ";
  printExtent(printer, getStep());
  auto number = dyn_cast<IntegerAttr>(getSplit());
  if (!number || number.getInt() != 1) {
    printer << " split ";
    printExtent(printer, getSplit());
    printer << " across " << stringifyAxis(getAxis()) << " to "
            << stringifyVisibility(getVisibility());
  }
  if (getSchedule())
    printer << " schedule " << *getSchedule();
  printer << " -> " << getResult().getType() << ' ';
  printer.printRegion(getRegion(), /*printEntryBlockArgs=*/false);
  printer.printOptionalAttrDict((*this)->getAttrs(),
                                {"step", "split", "axis", "visibility", "schedule"});
}

LogicalResult SumOp::verify() {
  auto type = cast<RankedTensorType>(getResult().getType());
  if (!type.getElementType().isF32())
    return emitOpError("expected a sum of f32 tiles, got ") << type;
  for (auto [name, extent] : {std::pair("step", getStep()), std::pair("split", getSplit())})
    if (auto number = dyn_cast<IntegerAttr>(extent))
      if (number.getInt() <= 0 || !llvm::isPowerOf2_64(number.getInt()))
        return emitOpError("expected '")
               << name << "' to be a power of two, got " << number.getInt();
  return success();
}

LogicalResult SumOp::verifyRegions() {
  if (getBody()->getNumArguments() != 1 || !getInductionVar().getType().isInteger(32))
    return emitOpError("expected a body with one i32 argument");
  auto yield = cast<YieldOp>(getBody()->getTerminator());
  if (!yield.getOperand())
    return emitOpError("expected the body to yield a tile");
  // The layouts of the result and of what the body yields are chosen separately.
  auto yielded = cast<RankedTensorType>(yield.getOperand().getType());
  auto result = cast<RankedTensorType>(getResult().getType());
  bool laidOut = getLayout(yielded) && getLayout(result);
  if (yielded.getShape() != result.getShape() ||
      yielded.getElementType() != result.getElementType() ||
      (!laidOut && yielded.getEncoding() != result.getEncoding()))
    return emitOpError("expected the body to yield ") << result << ", got " << yielded;
  return success();
}

int64_t SumOp::getStepInt() { return cast<IntegerAttr>(getStep()).getInt(); }
int64_t SumOp::getSplitInt() { return cast<IntegerAttr>(getSplit()).getInt(); }
