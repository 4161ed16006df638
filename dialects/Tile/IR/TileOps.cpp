//===- TileOps.cpp - Verifiers and folders of the tile dialect --------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Extent.h"
#include "Tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace lora::tile;

static ParseResult parseAccumulator(OpAsmParser &,
                                    std::optional<OpAsmParser::UnresolvedOperand> accumulator,
                                    Type &type, Type resultType) {
  if (accumulator)
    type = resultType;
  return success();
}
static void printAccumulator(OpAsmPrinter &, Operation *, Value, Type, Type) {}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

LogicalResult ParamOp::verify() {
  auto value = dyn_cast<IntegerAttr>(getValue());
  unsigned width = getType().getIntOrFloatBitWidth();
  bool fits = !value ||
              (width == 1 ? llvm::isUIntN(1, value.getInt()) : llvm::isIntN(width, value.getInt()));
  if (!fits)
    return emitOpError("expected a value that fits ") << getType() << ", got " << value.getInt();
  return success();
}

OpFoldResult ParamOp::fold(FoldAdaptor) {
  auto value = dyn_cast<IntegerAttr>(getValue());
  return value ? IntegerAttr::get(getType(), value.getInt()) : IntegerAttr();
}

LogicalResult AssumeDivisibleOp::verify() {
  auto divisor = dyn_cast<IntegerAttr>(getDivisor());
  if (divisor && divisor.getInt() <= 0)
    return emitOpError("expected a positive divisor, got ") << divisor.getInt();
  return success();
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

/// A view is only ever described by the ops that make views, so that its sizes and strides can be
/// read off them.
static LogicalResult verifyView(Operation *op, Value view) {
  if (!isa_and_present<ViewOp, SubviewOp, TransposeOp>(view.getDefiningOp()))
    return op->emitOpError("expected a view defined by tile.view, tile.subview or tile.transpose");
  return success();
}

LogicalResult ViewOp::verify() {
  ViewType type = getType();
  if (getSizes().size() != type.getRank())
    return emitOpError("expected ") << type.getRank() << " sizes, got " << getSizes().size();
  if (getStaticStrides().size() != type.getRank())
    return emitOpError("expected ")
           << type.getRank() << " strides, got " << getStaticStrides().size();
  size_t dynamicStrides = llvm::count_if(getStaticStrides(), ShapedType::isDynamic);
  if (getStrides().size() != dynamicStrides)
    return emitOpError("expected ")
           << dynamicStrides << " operands for strides, got " << getStrides().size();
  if (getBase().getType().getPointee() != type.getElementType())
    return emitOpError("expected a view of ")
           << getBase().getType().getPointee() << ", got " << type.getElementType();
  for (int64_t stride : getStaticStrides())
    if (!ShapedType::isDynamic(stride) && stride < 0)
      return emitOpError("expected strides that are not negative, got ") << stride;
  return success();
}

OpFoldResult ViewOp::getMixedStride(unsigned dimension) {
  Builder builder(getContext());
  return getMixedValues(getStaticStrides(), getStrides(), builder)[dimension];
}

void SubviewOp::build(OpBuilder &builder, OperationState &state, Value view, Value index) {
  auto type = cast<ViewType>(view.getType());
  build(builder, state,
        ViewType::get(builder.getContext(), type.getRank() - 1, type.getElementType()), view,
        index);
}

LogicalResult SubviewOp::verify() {
  ViewType from = getView().getType(), to = getType();
  if (from.getRank() != to.getRank() + 1 || from.getElementType() != to.getElementType())
    return emitOpError("expected a view with one dimension less than ") << from << ", got " << to;
  return verifyView(*this, getView());
}

LogicalResult TransposeOp::verify() {
  if (getType().getRank() != 2)
    return emitOpError("expected a view of rank 2, got ") << getType();
  return verifyView(*this, getView());
}

OpFoldResult TransposeOp::fold(FoldAdaptor) {
  auto inner = getView().getDefiningOp<TransposeOp>();
  return inner ? inner.getView() : Value();
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Checks an access of a whole tile with one coordinate a dimension.
static LogicalResult verifyAccess(Operation *op, Value view, Type tile, unsigned coordinates,
                                  std::optional<ArrayRef<bool>> inBounds) {
  auto viewType = cast<ViewType>(view.getType());
  auto tileType = cast<RankedTensorType>(tile);
  if (failed(verifyView(op, view)))
    return failure();
  if (viewType.getRank() != tileType.getRank() || coordinates != viewType.getRank())
    return op->emitOpError("expected a tile and coordinates of the view's rank ")
           << viewType.getRank() << ", got " << tileType << " and " << coordinates
           << " coordinates";
  if (inBounds && inBounds->size() != viewType.getRank())
    return op->emitOpError("expected ")
           << viewType.getRank() << " in_bounds flags, got " << inBounds->size();
  return success();
}

static LogicalResult verifyElements(Operation *op, Value view, Type tile) {
  Type element = cast<RankedTensorType>(tile).getElementType();
  Type expected = cast<ViewType>(view.getType()).getElementType();
  if (element != expected)
    return op->emitOpError("expected a tile of ") << expected << ", got " << tile;
  return success();
}

static LogicalResult verifyRows(Operation *op, Type rows, Type tile) {
  Attribute rowExtent = getExtents(cast<RankedTensorType>(rows))[0];
  Attribute tileExtent = getExtents(cast<RankedTensorType>(tile))[0];
  if (rowExtent != tileExtent)
    return op->emitOpError("expected one row index for each of the ")
           << tileExtent << " rows, got " << rowExtent;
  return success();
}

/// Checks the element type of a stored tile, which is `f32` when it is added.
static LogicalResult verifyStored(Operation *op, Value view, Type tile, bool accumulate) {
  if (!accumulate)
    return verifyElements(op, view, tile);
  Type element = cast<ViewType>(view.getType()).getElementType();
  if (!cast<RankedTensorType>(tile).getElementType().isF32())
    return op->emitOpError("expected an f32 tile to accumulate, got ") << tile;
  if (!element.isF16() && !element.isBF16() && !element.isF32() && !isa<ElementType>(element))
    return op->emitOpError("expected a view of floats to accumulate to, got ") << view.getType();
  return success();
}

LogicalResult LoadScalarOp::verify() {
  ViewType type = getView().getType();
  if (failed(verifyView(*this, getView())))
    return failure();
  if (getIndices().size() != type.getRank())
    return emitOpError("expected ")
           << type.getRank() << " coordinates, got " << getIndices().size();
  if (getType() != type.getElementType())
    return emitOpError("expected a result of ") << type.getElementType() << ", got " << getType();
  return success();
}

LogicalResult LoadOp::verify() {
  if (auto padding = getPadding(); padding && padding->getType() != getType().getElementType())
    return emitOpError("expected padding of ")
           << getType().getElementType() << ", got " << *padding;
  return failure(
      failed(verifyAccess(*this, getView(), getType(), getIndices().size(), getInBounds())) ||
      failed(verifyElements(*this, getView(), getType())));
}

LogicalResult StoreOp::verify() {
  Type type = getValue().getType();
  return failure(failed(verifyAccess(*this, getView(), type, getIndices().size(), getInBounds())) ||
                 failed(verifyStored(*this, getView(), type, getAccumulate())));
}

LogicalResult GatherOp::verify() {
  return failure(failed(verifyAccess(*this, getView(), getType(), 2, getInBounds())) ||
                 failed(verifyElements(*this, getView(), getType())) ||
                 failed(verifyRows(*this, getRows().getType(), getType())));
}

LogicalResult ScatterOp::verify() {
  Type type = getValue().getType();
  return failure(failed(verifyAccess(*this, getView(), type, 2, getInBounds())) ||
                 failed(verifyStored(*this, getView(), type, getAccumulate())) ||
                 failed(verifyRows(*this, getRows().getType(), type)));
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

LogicalResult SplatOp::verify() {
  if (getType().getElementType() != getOperand().getType())
    return emitOpError("expected a tile of ") << getOperand().getType() << ", got " << getType();
  return success();
}

LogicalResult BroadcastOp::verify() {
  auto from = cast<RankedTensorType>(getOperand().getType());
  auto to = cast<RankedTensorType>(getType());
  if (from.getRank() != 1 || from.getElementType() != to.getElementType())
    return emitOpError("expected a tile of rank 1 of ") << to.getElementType() << ", got " << from;
  if (getExtents(from)[0] != getExtents(to)[1 - getDimension()])
    return emitOpError("expected ")
           << getExtents(to)[1 - getDimension()] << " elements, got " << getExtents(from)[0];
  return success();
}

LogicalResult SliceOp::verify() {
  auto from = cast<RankedTensorType>(getOperand().getType());
  auto to = cast<RankedTensorType>(getType());
  if (from.getElementType() != to.getElementType() || getExtents(from)[0] != getExtents(to)[0])
    return emitOpError("expected rows of ")
           << getExtents(from)[0] << " of " << from.getElementType() << ", got " << to;
  if (from.hasStaticShape() && to.hasStaticShape() && from.getDimSize(1) % to.getDimSize(1) != 0)
    return emitOpError("expected a divisor of ")
           << from.getDimSize(1) << " columns, got " << to.getDimSize(1);
  return success();
}

LogicalResult CastOp::verify() {
  auto from = cast<RankedTensorType>(getOperand().getType());
  auto to = cast<RankedTensorType>(getType());
  auto castable = [](Type type) {
    return type.isF16() || type.isBF16() || type.isF32() || isa<ElementType>(type);
  };
  if (getExtents(from) != getExtents(to) || !castable(from.getElementType()) ||
      !castable(to.getElementType()))
    return emitOpError("expected float tiles of one shape, got ") << from << " and " << to;
  return success();
}

OpFoldResult CastOp::fold(FoldAdaptor) {
  return getOperand().getType() == getType() ? getOperand() : Value();
}

LogicalResult DotOp::verify() {
  auto lhs = cast<RankedTensorType>(getLhs().getType());
  auto rhs = cast<RankedTensorType>(getRhs().getType());
  auto result = cast<RankedTensorType>(getType());
  auto lhsExtents = getExtents(lhs), rhsExtents = getExtents(rhs), extents = getExtents(result);
  if (lhsExtents[1] != rhsExtents[0] || lhsExtents[0] != extents[0] || rhsExtents[1] != extents[1])
    return emitOpError("expected shapes m x k, k x n and m x n, got ")
           << lhs << ", " << rhs << " and " << result;
  if (!result.getElementType().isF32())
    return emitOpError("expected an f32 result, got ") << result;
  if (getAccumulator() && getAccumulator().getType() != result)
    return emitOpError("expected an accumulator of ")
           << result << ", got " << getAccumulator().getType();
  for (Type element : {lhs.getElementType(), rhs.getElementType()})
    if (!element.isF16() && !element.isBF16() && !element.isF32() && !isa<ElementType>(element))
      return emitOpError("expected operands of f16, bf16 or f32, got ") << element;
  if (lhs.getElementType().isF32() != rhs.getElementType().isF32() &&
      !isa<ElementType>(lhs.getElementType()) && !isa<ElementType>(rhs.getElementType()))
    return emitOpError("expected two 16-bit operands or two f32 operands, got ")
           << lhs.getElementType() << " and " << rhs.getElementType();
  return success();
}

LogicalResult ConvertLayoutOp::verify() {
  auto from = cast<RankedTensorType>(getOperand().getType());
  auto to = cast<RankedTensorType>(getType());
  if (!getLayout(from) || !getLayout(to) || from.getShape() != to.getShape() ||
      from.getElementType() != to.getElementType())
    return emitOpError("expected two layouts of one tile, got ") << from << " and " << to;
  return success();
}

OpFoldResult ConvertLayoutOp::fold(FoldAdaptor) {
  return getOperand().getType() == getType() ? getOperand() : Value();
}

#define GET_OP_CLASSES
#include "Tile/TileOps.cpp.inc"
