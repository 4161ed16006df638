//===- ThreadCoordinates.cpp - Where in a tile a thread is ------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ThreadCoordinates.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include <bit>

using namespace mlir;
using namespace lora;

ThreadCoordinates::ThreadCoordinates(OpBuilder builder, Location loc) : builder(builder), loc(loc) {
  Type i32 = this->builder.getI32Type();
  threadId = NVVM::ThreadIdXOp::create(this->builder, loc, i32);
  laneId = arith::AndIOp::create(this->builder, loc, threadId, constant(31));
  warpId = arith::ShRUIOp::create(this->builder, loc, threadId, constant(Layout::kLaneBits));
}

Value ThreadCoordinates::constant(int32_t value) {
  return arith::ConstantIntOp::create(builder, loc, value, 32);
}

/// Moves the bits of `number` whose bases are in `dimension` to their places in the coordinate. A
/// run of neighbouring bits that stays a run is moved at once.
Value ThreadCoordinates::bits(Value number, const std::vector<Basis> &bases, int dimension) {
  Value sum;
  for (size_t from = 0; from < bases.size();) {
    Basis first = bases[from];
    size_t to = from + 1;
    if (first.dimension != dimension || first.step == 0) {
      from = to;
      continue;
    }
    while (to < bases.size() && bases[to] == Basis{dimension, first.step << (to - from)})
      ++to;
    int shift = std::countr_zero(static_cast<unsigned>(first.step)) - static_cast<int>(from);
    int32_t mask = ((1 << (to - from)) - 1) << from;
    Value part = arith::AndIOp::create(builder, loc, number, constant(mask));
    if (shift > 0)
      part = arith::ShLIOp::create(builder, loc, part, constant(shift));
    else if (shift < 0)
      part = arith::ShRUIOp::create(builder, loc, part, constant(-shift));
    sum = sum ? arith::OrIOp::create(builder, loc, sum, part) : part;
    from = to;
  }
  return sum;
}

Value ThreadCoordinates::base(const Layout &layout, int dimension) {
  Value ofLane = bits(laneId, layout.lanes(), dimension);
  Value ofWarp = bits(warpId, layout.warps(), dimension);
  if (ofLane && ofWarp)
    return arith::OrIOp::create(builder, loc, ofLane, ofWarp);
  return ofLane ? ofLane : ofWarp ? ofWarp : constant(0);
}

Value ThreadCoordinates::isOwner(const Layout &layout, int apart) {
  int32_t shared = 0;
  for (size_t bit = 0; bit < layout.lanes().size(); ++bit)
    if (layout.lanes()[bit].step == 0)
      shared |= 1 << bit;
  for (size_t bit = 0; bit + apart < layout.warps().size(); ++bit)
    if (layout.warps()[bit].step == 0)
      shared |= 1 << (Layout::kLaneBits + bit);
  if (shared == 0)
    return {};
  Value masked = arith::AndIOp::create(builder, loc, threadId, constant(shared));
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, masked, constant(0));
}
