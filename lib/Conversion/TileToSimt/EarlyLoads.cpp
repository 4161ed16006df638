//===- EarlyLoads.cpp - Around the wait for the kernel before ------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// With programmatic dependent launch, a kernel starts before the one ahead of it in the stream has
// ended, and waits for that before it touches what it may be writing. Whatever else is known to be
// needed is requested before the wait: the weights of the first block of a sum, into registers or
// into its ring. What the sum needs besides comes first behind the wait.
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"
#include "RingLowering.h"
#include "Simt/Simt.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace lora;
using namespace lora::tile;

/// Lowers what an op of a sum's body needs from the body, for the block that the induction variable
/// is bound to at the moment.
void KernelLowering::lowerOperandsOf(Operation *op, Block *body) {
  for (Value operand : op->getOperands()) {
    Operation *definition = operand.getDefiningOp();
    if (!definition || definition->getBlock() != body || scalars.contains(operand) ||
        tiles.contains(operand))
      continue;
    lowerOperandsOf(definition, body);
    if (failed(lower(definition)))
      definition->emitError("an operand of a load cannot be computed ahead");
  }
}

/// The loads of a sum's body that are made ahead, in a kernel that has to wait for the one before
/// it: the first of them then stand right before the wait, if they may, or right behind it.
SmallVector<Operation *> KernelLowering::earlyLoads(SumOp sum) {
  SmallVector<Operation *> loads;
  if (awaits.empty() || sum.getSchedule()->getPath() != OperandPath::Direct)
    return loads;
  for (Operation &op : *sum.getBody())
    if (isa<LoadOp, GatherOp>(op) && isReadOnly(op.getOperand(0)))
      loads.push_back(&op);
  return loads;
}

/// How many blocks of a sum's early loads are under way at a time.
unsigned KernelLowering::blocksAhead(SumOp sum) {
  ScheduleAttr schedule = sum.getScheduleAttr();
  return schedule.getPath() == OperandPath::Direct ? schedule.getStages() : 1;
}

bool KernelLowering::mayPrecedeWait(Operation *load) {
  return !awaits.contains(describeView(load->getOperand(0)).base);
}

/// Makes loads of a sum's body for block `k`, where `needed` is true.
SmallVector<Registers> KernelLowering::loadAhead(SumOp sum, ArrayRef<Operation *> loads, Value k,
                                                 Value needed) {
  auto savedScalars = scalars;
  auto savedTiles = tiles;
  scalars[sum.getInductionVar()] = k;
  condition = needed;
  SmallVector<Registers> values;
  for (Operation *load : loads) {
    lowerOperandsOf(load, sum.getBody());
    if (failed(lower(load)))
      load->emitError("cannot be made ahead");
    values.push_back(tiles.lookup(load->getResult(0)));
  }
  condition = {};
  scalars = savedScalars;
  tiles = savedTiles;
  return values;
}

/// Whether no other sum, nor anything else with a region, is under way or comes before a sum of the
/// current block.
bool KernelLowering::comesNext(SumOp sum) {
  for (Operation *op = currentOp; op && op != sum; op = op->getNextNode())
    if (op->getNumRegions() > 0)
      return false;
  return true;
}

/// Whether the ring of a sum that comes next can be filled already: whether nothing before it uses
/// the shared memory that the ring lies in.
bool KernelLowering::usesNextPhase(SumOp sum) {
  if (awaits.empty() || sum.getSchedule()->getPath() != OperandPath::Shared)
    return false;
  for (Operation *op = currentOp; op && op != sum; op = op->getNextNode())
    if (isa<ConvertLayoutOp>(op))
      return false;
  return true;
}

/// What is known of a sum, before its turn or from then on.
std::shared_ptr<KernelLowering::Preloaded> KernelLowering::begunSum(SumOp sum) {
  std::shared_ptr<Preloaded> &begun = preloaded[sum];
  if (!begun) {
    begun = std::make_shared<Preloaded>();
    begun->range = partOf(sum);
    begun->ring = std::make_shared<RingLowering>(*this, sum, begun->range);
    for (unsigned i = 0; i != blocksAhead(sum); ++i) {
      Value begin =
          i == 0 ? begun->range.begin : add(begun->range.begin, constant(i * sum.getStepInt()));
      begun->blocks.push_back({begin, Value(), {}});
    }
  }
  return begun;
}

/// Makes the early loads of the first blocks of the sums in a block that are still to come, and
/// opens the inbox of the next one; before the wait, only those loads that may precede it.
void KernelLowering::preloadSums(Block *block) {
  for (SumOp sum : block->getOps<SumOp>()) {
    bool isDone = scalars.contains(sum.getVisible());
    if (isDone || !scalars.contains(sum.getExtent()))
      continue;
    bool isNext = comesNext(sum);
    // Two cluster barriers cannot be under way at a time.
    if (isNext)
      openInbox(sum);
    if (isNext && usesNextPhase(sum)) {
      std::shared_ptr<Preloaded> begun = begunSum(sum);
      if (awaited)
        begun->ring->begin();
      else
        begun->ring->open();
    }
    SmallVector<Operation *> loads = earlyLoads(sum);
    llvm::erase_if(loads, [&](Operation *load) { return !(awaited || mayPrecedeWait(load)); });
    if (loads.empty())
      continue;
    std::shared_ptr<Preloaded> begun = begunSum(sum);
    for (Preloaded::Block &ahead : begun->blocks) {
      SmallVector<Operation *> missing = loads;
      llvm::erase_if(missing, [&](Operation *load) { return ahead.values.contains(load); });
      if (missing.empty())
        continue;
      if (!ahead.needed)
        ahead.needed = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, ahead.begin,
                                             begun->range.end);
      for (auto [load, values] :
           llvm::zip(missing, loadAhead(sum, missing, ahead.begin, ahead.needed)))
        ahead.values[load] = values;
    }
  }
}

/// Waits for the kernel before this one. What does not depend on it is loaded before, and what sums
/// need first, first thereafter.
void KernelLowering::awaitPredecessors() {
  preloadSums(currentBlock);
  simt::AwaitPredecessorsOp::create(builder, loc);
  awaited = true;
  preloadSums(currentBlock);
}

/// The same ahead of the first access to what that kernel may be writing.
void KernelLowering::awaitPredecessorsFor(Value view) {
  if (!awaited && awaits.contains(describeView(view).base))
    awaitPredecessors();
}
