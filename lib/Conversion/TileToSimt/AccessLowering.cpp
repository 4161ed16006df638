//===- AccessLowering.cpp - Loads and stores of tiles of views -----------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"
#include "Simt/Simt.h"
#include "lora/Transforms/LayoutAttributes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace lora;
using namespace lora::tile;

/// The type that a value of an element type has in a register.
static Type registerType(Type element) {
  if (isa<PtrType>(element))
    return LLVM::LLVMPointerType::get(element.getContext(), 1);
  return element;
}

/// i64 bytes between neighbours along a dimension.
Value KernelLowering::strideBytes(const ViewDescription::Dimension &dimension,
                                  int64_t elementBytes) {
  if (auto number = getStaticStride(dimension.stride))
    return constant(*number * elementBytes, 64);
  return mul(scalar(cast<Value>(dimension.stride)), constant(elementBytes, 64));
}

/// Whether 0 <= coordinate < size, i1.
Value KernelLowering::isInside(Value coordinate, Value size) {
  Value positive = builder.createOrFold<arith::MaxSIOp>(loc, size, constant(0));
  return builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, coordinate, positive);
}

/// The address of a view's first element, and whether its fixed coordinates are inside.
Value KernelLowering::viewBase(const ViewDescription &view, Type element, Value &nonEmpty) {
  Value base = scalar(view.base);
  for (const ViewDescription::Fixed &fixed : view.fixed) {
    Value index = scalar(fixed.index);
    nonEmpty = both(nonEmpty, isInside(index, scalar(fixed.size)));
    Value wide = arith::ExtSIOp::create(builder, loc, builder.getI64Type(), index);
    base = offset(base, mul(wide, strideBytes(fixed, getElementBytes(element))));
  }
  return base;
}

/// Pointers that no store of the kernel goes through are read-only, under the rule that different
/// arguments do not overlap. Loaded pointers count as one.
bool KernelLowering::isReadOnly(Value view) {
  Value base = describeView(view).base;
  if (isa<BlockArgument>(base))
    return !written.contains(base);
  return llvm::all_of(written, [](Value pointer) { return isa<BlockArgument>(pointer); });
}

/// The assembler moves read-only loads over the wait for the kernel before this one. So what that
/// kernel may be writing is no such load, nor is what has to be under way before the wait.
simt::CacheHint KernelLowering::hintFor(Value view) {
  bool movable = awaits.empty() || (awaited && !awaits.contains(describeView(view).base));
  return movable && isReadOnly(view) ? simt::CacheHint::ReadOnly : simt::CacheHint::Default;
}

KernelLowering::Access KernelLowering::makeAccess(Value view, RankedTensorType tile, Value rows,
                                                  ValueRange coordinates, int64_t alignment,
                                                  std::optional<ArrayRef<bool>> inBounds) {
  awaitPredecessorsFor(view);
  Type element = cast<ViewType>(view.getType()).getElementType();
  Access access{describeView(view), getLayoutOf(tile), element, hintFor(view)};
  access.nonEmpty = condition;
  access.base = viewBase(access.view, element, access.nonEmpty);
  unsigned rank = access.view.dimensions.size();
  if (inBounds)
    access.inBounds.assign(inBounds->begin(), inBounds->end());
  else
    access.inBounds.assign(rank, false);
  if (rows) {
    access.rows = tiles.lookup(rows);
    access.rowOfRegister = access.layout.registersInSlice(0);
  }

  for (unsigned d = 0; d != rank; ++d) {
    if (rows && d == 0) {
      access.coordinates.push_back(Value());
      continue;
    }
    Value coordinate = add(scalar(coordinates[d]), threads->base(access.layout, d));
    access.coordinates.push_back(coordinate);
    Value wide = arith::ExtSIOp::create(builder, loc, builder.getI64Type(), coordinate);
    access.base = offset(access.base,
                         mul(wide, strideBytes(access.view.dimensions[d], access.elementBytes())));
  }
  if (auto contiguous = access.view.contiguousDimension();
      contiguous && !(rows && *contiguous == 0))
    access.width = std::clamp<int64_t>(alignment / access.elementBytes(), 1,
                                       access.layout.contiguousRegisters(*contiguous));
  return access;
}

KernelLowering::Access KernelLowering::accessOf(Operation *op) {
  return TypeSwitch<Operation *, Access>(op)
      .Case([&](LoadOp access) {
        return makeAccess(access.getView(), access.getType(), Value(), access.getIndices(),
                          access.getAlignment().value_or(1), access.getInBounds());
      })
      .Case([&](GatherOp access) {
        return makeAccess(access.getView(), access.getType(), access.getRows(),
                          {Value(), access.getColumn()}, access.getAlignment().value_or(1),
                          access.getInBounds());
      })
      .Case([&](StoreOp access) {
        return makeAccess(access.getView(), access.getValue().getType(), Value(),
                          access.getIndices(), access.getAlignment().value_or(1),
                          access.getInBounds());
      })
      .Case([&](ScatterOp access) {
        return makeAccess(access.getView(), access.getValue().getType(), access.getRows(),
                          {Value(), access.getColumn()}, access.getAlignment().value_or(1),
                          access.getInBounds());
      });
}

/// Address of the elements from register `reg` on.
Value KernelLowering::pieceAddress(const Access &access, int reg) {
  Coordinates ofRegister = access.layout.at(reg);
  Value pointer = access.base;
  int64_t known = 0;
  for (auto [d, dimension] : llvm::enumerate(access.view.dimensions)) {
    if (!access.coordinates[d]) {
      Value row = access.rows[access.rowOfRegister[reg]];
      Value wide = arith::ExtSIOp::create(builder, loc, builder.getI64Type(), row);
      pointer = offset(pointer, mul(wide, strideBytes(dimension, access.elementBytes())));
    } else if (auto stride = getStaticStride(dimension.stride)) {
      known += ofRegister[d] * *stride * access.elementBytes();
    } else if (ofRegister[d] != 0) {
      pointer = offset(
          pointer, mul(constant(ofRegister[d], 64), strideBytes(dimension, access.elementBytes())));
    }
  }
  return offset(pointer, known);
}

/// Whether the elements from register `reg` on are inside the view; null when they always are.
Value KernelLowering::piecePredicate(const Access &access, int reg) {
  Coordinates ofRegister = access.layout.at(reg);
  Value inside = access.nonEmpty;
  for (auto [d, dimension] : llvm::enumerate(access.view.dimensions)) {
    if (access.inBounds[d])
      continue;
    Value coordinate = access.coordinates[d] ? add(access.coordinates[d], constant(ofRegister[d]))
                                             : access.rows[access.rowOfRegister[reg]];
    inside = both(inside, isInside(coordinate, scalar(dimension.size)));
  }
  return inside;
}

Registers KernelLowering::load(const Access &access, Attribute padding) {
  Registers values;
  Type type = vectorOf(registerType(access.element), access.width);
  for (int reg = 0; reg < access.layout.numRegisters(); reg += access.width) {
    Value predicate = piecePredicate(access, reg);
    Value piece =
        simt::LoadOp::create(builder, loc, type, pieceAddress(access, reg), predicate, access.hint);
    size_t first = values.size();
    unpackVector(builder, loc, piece, values);
    if (!padding || !predicate)
      continue;
    Value otherwise = arith::ConstantOp::create(builder, loc, cast<TypedAttr>(padding));
    for (Value &value : MutableArrayRef(values).drop_front(first))
      value = arith::SelectOp::create(builder, loc, predicate, value, otherwise);
  }
  return values;
}

/// Adds in f32 and rounds once.
static Value accumulateElement(OpBuilder &builder, Location loc, Value old, Value value) {
  Type type = old.getType(), f32 = builder.getF32Type();
  if (type == f32)
    return arith::AddFOp::create(builder, loc, old, value);
  Value wide = arith::ExtFOp::create(builder, loc, f32, old);
  Value sum = arith::AddFOp::create(builder, loc, wide, value);
  return arith::TruncFOp::create(builder, loc, type, sum);
}

void KernelLowering::store(const Access &access, const Registers &values, bool accumulate) {
  Value owner = threads->isOwner(access.layout);
  Type type = vectorOf(registerType(access.element), access.width);
  SmallVector<Value> addresses, predicates;
  SmallVector<Registers> pieces;
  for (int reg = 0; reg < access.layout.numRegisters(); reg += access.width) {
    addresses.push_back(pieceAddress(access, reg));
    predicates.push_back(both(owner, piecePredicate(access, reg)));
    pieces.emplace_back(values.begin() + reg, values.begin() + reg + access.width);
  }
  // All old values are requested before the first is needed.
  if (accumulate) {
    SmallVector<Value> old;
    for (auto [address, predicate] : llvm::zip(addresses, predicates))
      old.push_back(
          simt::LoadOp::create(builder, loc, type, address, predicate, simt::CacheHint::Default));
    for (auto [oldPiece, piece] : llvm::zip(old, pieces)) {
      Registers oldValues;
      unpackVector(builder, loc, oldPiece, oldValues);
      for (auto [oldValue, value] : llvm::zip(oldValues, piece))
        value = accumulateElement(builder, loc, oldValue, value);
    }
  }
  for (auto [address, predicate, piece] : llvm::zip(addresses, predicates, pieces))
    simt::StoreOp::create(builder, loc, packVector(builder, loc, piece), address, predicate);
}

Value KernelLowering::loadScalar(LoadScalarOp op) {
  awaitPredecessorsFor(op.getView());
  ViewDescription view = describeView(op.getView());
  Type element = cast<ViewType>(op.getView().getType()).getElementType();
  Value inside;
  Value pointer = viewBase(view, element, inside);
  for (auto [dimension, index] : llvm::zip(view.dimensions, op.getIndices())) {
    inside = both(inside, isInside(scalar(index), scalar(dimension.size)));
    Value wide = arith::ExtSIOp::create(builder, loc, builder.getI64Type(), scalar(index));
    pointer = offset(pointer, mul(wide, strideBytes(dimension, getElementBytes(element))));
  }
  return simt::LoadOp::create(builder, loc, registerType(element), pointer, inside,
                              hintFor(op.getView()));
}
