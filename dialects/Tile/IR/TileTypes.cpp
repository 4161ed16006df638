//===- TileTypes.cpp - Types of the tile dialect ----------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Tile.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace lora::tile;

static bool isScalar(Type type) {
  return type.isF16() || type.isBF16() || type.isF32() || type.isInteger(1) || type.isInteger(32) ||
         type.isInteger(64) || isa<PtrType, ElementType>(type);
}

bool lora::tile::isTile(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || tensor.getRank() < 1 || tensor.getRank() > 2 || !isScalar(tensor.getElementType()))
    return false;
  bool parametric = isa_and_present<ShapeAttr>(tensor.getEncoding());
  return llvm::all_of(tensor.getShape(), [&](int64_t size) {
    return ShapedType::isDynamic(size) ? parametric : llvm::isPowerOf2_64(size);
  });
}

RankedTensorType lora::tile::withLayout(Type type, LayoutAttr layout) {
  auto tensor = cast<RankedTensorType>(type);
  return RankedTensorType::get(tensor.getShape(), tensor.getElementType(), layout);
}

LayoutAttr lora::tile::getLayout(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? dyn_cast_if_present<LayoutAttr>(tensor.getEncoding()) : LayoutAttr();
}

SmallVector<Attribute> lora::tile::getExtents(RankedTensorType type) {
  if (auto shape = dyn_cast_if_present<ShapeAttr>(type.getEncoding()))
    return SmallVector<Attribute>(shape.getExtents());
  Builder builder(type.getContext());
  return llvm::map_to_vector(
      type.getShape(), [&](int64_t size) -> Attribute { return builder.getI64IntegerAttr(size); });
}

unsigned lora::tile::getElementBytes(Type elementType) {
  return isa<PtrType>(elementType) ? 8 : llvm::divideCeil(elementType.getIntOrFloatBitWidth(), 8);
}

//===----------------------------------------------------------------------===//
// ViewType
//===----------------------------------------------------------------------===//

Type ViewType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type elementType;
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseDimensionList(shape) || parser.parseType(elementType) ||
      parser.parseGreater())
    return {};
  if (llvm::any_of(shape, [](int64_t size) { return !ShapedType::isDynamic(size); })) {
    parser.emitError(location, "expected only '?' dimensions in a view: its sizes are operands");
    return {};
  }
  return getChecked([&] { return parser.emitError(location); }, parser.getContext(), shape.size(),
                    elementType);
}

void ViewType::print(AsmPrinter &printer) const {
  printer << '<';
  for (unsigned i = 0; i != getRank(); ++i)
    printer << "?x";
  printer << getElementType() << '>';
}

LogicalResult ViewType::verify(function_ref<InFlightDiagnostic()> emitError, unsigned rank,
                               Type elementType) {
  if (rank < 1 || rank > 3)
    return emitError() << "expected a view of rank 1 to 3, got rank " << rank;
  if (!isScalar(elementType) || elementType.isInteger(1))
    return emitError() << "expected an element type among f16, bf16, f32, i32, i64, pointer and "
                          "type parameter, got "
                       << elementType;
  return success();
}

//===----------------------------------------------------------------------===//
// PtrType and ElementType
//===----------------------------------------------------------------------===//

LogicalResult PtrType::verify(function_ref<InFlightDiagnostic()> emitError, Type pointee) {
  if (!isScalar(pointee) || pointee.isInteger(1))
    return emitError() << "expected a pointer to f16, bf16, f32, i32, i64, a pointer or a type "
                          "parameter, got "
                       << pointee;
  return success();
}

Type ElementType::parse(AsmParser &parser) {
  std::string name;
  if (parser.parseLess() || parser.parseKeywordOrString(&name) || parser.parseGreater())
    return {};
  return get(parser.getContext(), name);
}

void ElementType::print(AsmPrinter &printer) const {
  printer << '<';
  printer.printKeywordOrString(getName());
  printer << '>';
}

#define GET_TYPEDEF_CLASSES
#include "Tile/TileTypes.cpp.inc"

void TileDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "Tile/TileTypes.cpp.inc"
      >();
}
