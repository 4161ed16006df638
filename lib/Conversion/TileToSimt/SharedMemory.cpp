//===- SharedMemory.cpp - The shared memory of a block -------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedMemory.h"

#include "Simt/Simt.h"
#include "Tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace lora;

static constexpr int64_t kWidestAccess = 16;

bool lora::isRepeated(OpBuilder &builder) {
  for (Operation *op = builder.getInsertionBlock()->getParentOp(); op; op = op->getParentOp())
    if (isa<LoopLikeOpInterface>(op))
      return true;
  return false;
}

Value SharedMemory::beginPhase(OpBuilder &builder, Location loc, int64_t bytes) {
  // A loop can lead from the last phase back to the first.
  if (begun || isRepeated(builder))
    simt::BarrierOp::create(builder, loc, Value(), IntegerAttr());
  begun = true;
  largestPhase = std::max(largestPhase, bytes);
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext(), 3);
  return simt::SharedOp::create(builder, loc, pointer, 0);
}

Value SharedMemory::reserve(OpBuilder &builder, Location loc, int64_t bytes) {
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext(), 3);
  auto address = simt::SharedOp::create(builder, loc, pointer, 0);
  reserved.push_back({address, bytes});
  return address;
}

int64_t SharedMemory::finish() {
  int64_t end = largestPhase;
  for (const Reserved &place : reserved) {
    end = llvm::alignTo(end, SharedTile::kBankBytes);
    cast<simt::SharedOp>(place.address).setOffset(end);
    end += place.bytes;
  }
  return end;
}

Value lora::packVector(OpBuilder &builder, Location loc, ValueRange values) {
  if (values.size() == 1)
    return values.front();
  auto type = VectorType::get(static_cast<int64_t>(values.size()), values.front().getType());
  return vector::FromElementsOp::create(builder, loc, type, values);
}

void lora::unpackVector(OpBuilder &builder, Location loc, Value vector,
                        SmallVectorImpl<Value> &elements) {
  auto type = dyn_cast<VectorType>(vector.getType());
  if (!type) {
    elements.push_back(vector);
    return;
  }
  for (int64_t i = 0; i != type.getNumElements(); ++i)
    elements.push_back(vector::ExtractOp::create(builder, loc, vector, i));
}

Type lora::vectorOf(Type element, int width) {
  return width == 1 ? element : VectorType::get(width, element);
}

//===----------------------------------------------------------------------===//
// SharedTile
//===----------------------------------------------------------------------===//

SharedTile::SharedTile(ArrayRef<int64_t> shape, Type element, int contiguous)
    : shape(shape), element(element), contiguous(contiguous),
      elementBytes(tile::getElementBytes(element)) {}

int64_t SharedTile::bytes() const {
  int64_t elements = 1;
  for (int64_t size : shape)
    elements *= size;
  return elements * elementBytes;
}

int SharedTile::accessWidth(const Layout &layout) const {
  return std::min<int>(layout.contiguousRegisters(contiguous), kWidestAccess / elementBytes);
}

Value SharedTile::address(OpBuilder &builder, Location loc, ThreadCoordinates &threads, Value base,
                          const Layout &layout, int reg) const {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(builder, loc, value, 32);
  };
  auto gep = [&](Value pointer, LLVM::GEPArg bytes) -> Value {
    return LLVM::GEPOp::create(builder, loc, pointer.getType(), builder.getI8Type(), pointer,
                               ArrayRef<LLVM::GEPArg>{bytes});
  };
  int64_t rowBytes = shape[contiguous] * elementBytes;
  Coordinates ofRegister = layout.at(reg);
  int64_t columnOffset = ofRegister[contiguous] * elementBytes;
  Value column = builder.createOrFold<arith::MulIOp>(loc, threads.base(layout, contiguous),
                                                     constant(elementBytes));
  if (shape.size() == 1)
    return gep(gep(base, column), static_cast<int32_t>(columnOffset));

  int64_t rowOffset = ofRegister[1 - contiguous];
  Value row = threads.base(layout, 1 - contiguous);
  if (rowBytes % kBankBytes == 0) {
    // The bit that a register sets in the column, and the parity of its row, are part of the swap.
    int64_t swapped = (rowOffset & 1) * (kBankBytes / 2) ^ (columnOffset & (kBankBytes / 2));
    columnOffset &= ~(kBankBytes / 2);
    Value odd = builder.createOrFold<arith::AndIOp>(loc, row, constant(1));
    Value half = builder.createOrFold<arith::MulIOp>(loc, odd, constant(kBankBytes / 2));
    column = builder.createOrFold<arith::XOrIOp>(loc, column, half);
    if (swapped != 0)
      column = builder.createOrFold<arith::XOrIOp>(loc, column, constant(swapped));
  }
  Value bytes = builder.createOrFold<arith::AddIOp>(
      loc, builder.createOrFold<arith::MulIOp>(loc, row, constant(rowBytes)), column);
  return gep(gep(base, bytes), static_cast<int32_t>(rowOffset * rowBytes + columnOffset));
}

void SharedTile::store(OpBuilder &builder, Location loc, ThreadCoordinates &threads, Value base,
                       const Layout &layout, ValueRange values, int apart, Value mbarrier) const {
  Value owner = threads.isOwner(layout, apart);
  int width = accessWidth(layout);
  for (int reg = 0; reg < layout.numRegisters(); reg += width) {
    Value piece = packVector(builder, loc, values.slice(reg, width));
    Value place = address(builder, loc, threads, base, layout, reg);
    if (mbarrier)
      simt::StoreAsyncOp::create(builder, loc, piece, place, mbarrier, owner);
    else
      simt::StoreOp::create(builder, loc, piece, place, owner);
  }
}

SmallVector<Value> SharedTile::load(OpBuilder &builder, Location loc, ThreadCoordinates &threads,
                                    Value base, const Layout &layout) const {
  SmallVector<Value> values;
  int width = accessWidth(layout);
  for (int reg = 0; reg < layout.numRegisters(); reg += width) {
    Value piece = simt::LoadOp::create(builder, loc, vectorOf(element, width),
                                       address(builder, loc, threads, base, layout, reg), Value(),
                                       simt::CacheHint::Default);
    unpackVector(builder, loc, piece, values);
  }
  return values;
}
