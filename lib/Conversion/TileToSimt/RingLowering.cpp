//===- RingLowering.cpp - Operands through a ring in shared memory -------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RingLowering.h"

#include "Simt/Simt.h"
#include "lora/Transforms/LayoutAttributes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace lora;
using namespace lora::tile;

/// Barrier 0 is that of the whole block.
static constexpr int kFirstNamedBarrier = 1;

RingLowering::RingLowering(KernelLowering &lowering, SumOp sum, const KernelLowering::Range &range)
    : l(lowering), sum(sum), range(range) {
  ScheduleAttr schedule = sum.getScheduleAttr();
  stages = schedule.getStages();
  warpsK = schedule.getWarpsK();
  groupWarps = l.numWarps / warpsK;
  if (schedule.getPath() != OperandPath::Shared)
    return;
  for (auto read : sum.getBody()->getOps<ConvertLayoutOp>()) {
    Operation *load = read.getOperand().getDefiningOp();
    if (!isa_and_present<LoadOp, GatherOp>(load) || load->getBlock() != sum.getBody() ||
        !load->hasOneUse())
      continue;
    auto type = cast<RankedTensorType>(read.getType());
    Value view = load->getOperand(0);
    int contiguous = describeView(view).contiguousDimension().value_or(1);
    SharedTile tile(type.getShape(), type.getElementType(), contiguous);
    operands.push_back({load, read, tile, bufferBytes});
    bufferBytes += tile.bytes();
  }
}

Value RingLowering::bufferOf(Value slot) {
  return l.offset(ring, l.mul(slot, l.constant(bufferBytes)));
}

void RingLowering::synchronise() {
  if (warpsK == 1) {
    simt::BarrierOp::create(l.builder, l.loc, Value(), IntegerAttr());
  } else if (groupWarps == 1) {
    simt::WarpBarrierOp::create(l.builder, l.loc);
  } else {
    Value id = l.add(group, l.constant(kFirstNamedBarrier));
    simt::BarrierOp::create(l.builder, l.loc, id, l.builder.getI32IntegerAttr(32 * groupWarps));
  }
}

void RingLowering::copyOperand(const Operand &operand, Value buffer, Value needed) {
  OpBuilder &b = l.builder;
  KernelLowering::Access access = l.accessOf(operand.load);
  Value owner = l.threads->isOwner(access.layout, llvm::Log2_32(warpsK));
  Value base = l.offset(buffer, operand.offset);
  auto copyAll = [&] {
    for (int reg = 0; reg < access.layout.numRegisters(); reg += access.width) {
      Value destination = operand.tile.address(b, l.loc, *l.threads, base, access.layout, reg);
      Value predicate = l.both(needed, l.piecePredicate(access, reg));
      simt::CpAsyncOp::create(b, l.loc, destination, l.pieceAddress(access, reg), predicate,
                              access.width * access.elementBytes());
    }
  };
  if (!owner)
    return copyAll();
  // A tile smaller than the group is copied by some of its threads.
  auto some = scf::IfOp::create(b, l.loc, owner, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(some.thenBlock());
  copyAll();
}

bool RingLowering::isIn(Part part, const Operand &operand) {
  return part == Part::All || (part == Part::Early) == l.mayPrecedeWait(operand.load);
}

/// Starts the copies of one block and, unless some are still to come, closes their group. Beyond
/// the end of the part zeros are written, which no one reads.
void RingLowering::copyBlock(Value k, Value slot, Part part) {
  auto savedScalars = l.scalars;
  auto savedTiles = l.tiles;
  l.scalars[sum.getInductionVar()] = k;
  Value needed = arith::CmpIOp::create(l.builder, l.loc, arith::CmpIPredicate::slt, k, range.end);
  Value buffer = bufferOf(slot);
  for (const Operand &operand : operands) {
    if (!isIn(part, operand))
      continue;
    l.lowerOperandsOf(operand.load, sum.getBody());
    copyOperand(operand, buffer, needed);
  }
  if (part != Part::Early)
    simt::CpAsyncCommitOp::create(l.builder, l.loc);
  l.scalars = savedScalars;
  l.tiles = savedTiles;
}

void RingLowering::copyFirstBlocks(Part part) {
  for (int stage = 0; stage != stages - 1; ++stage)
    copyBlock(l.add(range.begin, l.constant(stage * sum.getStepInt())), l.constant(stage), part);
}

void RingLowering::place() {
  group = arith::ShRUIOp::create(l.builder, l.loc, l.threads->warp(),
                                 l.constant(llvm::Log2_32(groupWarps)));
  int64_t ringBytes = stages * bufferBytes;
  Value base = l.shared.beginPhase(l.builder, l.loc, warpsK * ringBytes);
  ring = l.offset(base, l.mul(group, l.constant(ringBytes)));
}

void RingLowering::open() {
  if (!isActive() || opened)
    return;
  opened = true;
  place();
  copyFirstBlocks(Part::Early);
}

void RingLowering::begin() {
  if (!isActive() || begun)
    return;
  begun = true;
  // With nothing left to wait for, each block is a group of its own from the first on.
  if (!opened && (l.awaits.empty() || l.awaited)) {
    opened = true;
    place();
    copyFirstBlocks(Part::All);
    return;
  }
  open();
  // Copies that were started before belong to the group of the first block.
  copyFirstBlocks(Part::Late);
}

Value RingLowering::nextSlot(Value slot) {
  Value next = l.add(slot, l.constant(1));
  Value wraps =
      arith::CmpIOp::create(l.builder, l.loc, arith::CmpIPredicate::eq, next, l.constant(stages));
  return arith::SelectOp::create(l.builder, l.loc, wraps, l.constant(0), next);
}

void RingLowering::step(Value k, Value slot) {
  if (!isActive())
    return;
  simt::CpAsyncWaitOp::create(l.builder, l.loc, stages - 2);
  synchronise();
  // The buffer before this one was read in the last iteration, which the barrier has ended.
  Value isFirst =
      arith::CmpIOp::create(l.builder, l.loc, arith::CmpIPredicate::eq, slot, l.constant(0));
  Value previous = arith::SelectOp::create(l.builder, l.loc, isFirst, l.constant(stages - 1),
                                           l.add(slot, l.constant(-1)));
  copyBlock(l.add(k, l.constant((stages - 1) * sum.getStepInt())), previous, Part::All);

  Value buffer = bufferOf(slot);
  for (Operand &operand : operands) {
    l.tiles[operand.load->getResult(0)] = {};
    l.tiles[operand.read] =
        operand.tile.load(l.builder, l.loc, *l.threads, l.offset(buffer, operand.offset),
                          getLayoutOf(operand.read.getType()));
  }
}

void RingLowering::end() {
  if (isActive())
    simt::CpAsyncWaitOp::create(l.builder, l.loc, 0);
}
