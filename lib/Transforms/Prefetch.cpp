//===- Prefetch.cpp - Start loads before they are needed -----------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Analysis/Views.h"
#include "lora/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SetVector.h"

namespace lora {
#define GEN_PASS_DEF_TILEPREFETCH
#include "lora/Transforms/Passes.h.inc"
} // namespace lora

using namespace mlir;
using namespace lora;
using namespace lora::tile;

//===----------------------------------------------------------------------===//
// Accumulating stores
//===----------------------------------------------------------------------===//

/// `old + value` in f32, rounded to the element type of the view.
static Value addInF32(OpBuilder &builder, Location loc, Value old, Value value) {
  auto type = cast<RankedTensorType>(old.getType());
  if (!type.getElementType().isF32())
    old = arith::ExtFOp::create(builder, loc, value.getType(), old);
  Value sum = arith::AddFOp::create(builder, loc, old, value);
  if (!type.getElementType().isF32())
    sum = arith::TruncFOp::create(builder, loc, type, sum);
  return sum;
}

static RankedTensorType typeInMemory(Value value, Value view) {
  auto type = cast<RankedTensorType>(value.getType());
  return RankedTensorType::get(type.getShape(), cast<ViewType>(view.getType()).getElementType());
}

static void splitAccumulate(StoreOp store) {
  OpBuilder builder(store);
  Location loc = store.getLoc();
  Value old = LoadOp::create(builder, loc, typeInMemory(store.getValue(), store.getView()),
                             store.getView(), store.getIndices(), TypedAttr(),
                             store.getAlignmentAttr(), store.getInBoundsAttr());
  store.getValueMutable().set(addInF32(builder, loc, old, store.getValue()));
  store.setAccumulate(false);
}

static void splitAccumulate(ScatterOp scatter) {
  OpBuilder builder(scatter);
  Location loc = scatter.getLoc();
  Value old = GatherOp::create(builder, loc, typeInMemory(scatter.getValue(), scatter.getView()),
                               scatter.getView(), scatter.getRows(), scatter.getColumn(),
                               scatter.getAlignmentAttr(), scatter.getInBoundsAttr());
  scatter.getValueMutable().set(addInF32(builder, loc, old, scatter.getValue()));
  scatter.setAccumulate(false);
}

//===----------------------------------------------------------------------===//
// What may move
//===----------------------------------------------------------------------===//

static bool isLoad(Operation *op) { return isa<LoadOp, GatherOp, LoadScalarOp>(op); }

static Value viewOf(Operation *access) {
  return access->getOperand(isa<StoreOp, ScatterOp>(access) ? 1 : 0);
}

static Value pointerOf(Operation *access) { return describeView(viewOf(access)).base; }

/// Collects the ops of `block` that `op` needs, in order. Fails if one of them is neither pure nor
/// a load, has regions, or depends on `barrier`.
static LogicalResult collectSlice(Operation *op, Block *block, Operation *barrier,
                                  llvm::SetVector<Operation *> &slice) {
  if (op == barrier || op->getNumRegions() != 0 || !(isMemoryEffectFree(op) || isLoad(op)))
    return failure();
  for (Value operand : op->getOperands()) {
    Operation *definition = operand.getDefiningOp();
    if (definition && definition->getBlock() == block && !slice.contains(definition) &&
        failed(collectSlice(definition, block, barrier, slice)))
      return failure();
  }
  slice.insert(op);
  return success();
}

/// The writes in an op and in what it contains.
static SmallVector<Operation *> writesIn(Operation *root) {
  SmallVector<Operation *> writes;
  root->walk([&](Operation *op) {
    if (isa<StoreOp, ScatterOp>(op))
      writes.push_back(op);
  });
  return writes;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// The number that a value is at least, if it is a constant.
static int64_t constantOr(Value value, int64_t otherwise) {
  APInt number;
  return matchPattern(value, m_ConstantInt(&number)) ? number.getSExtValue() : otherwise;
}

/// Whether a load reads, one iteration ahead, nothing that `write` changes: the write goes to
/// another pointer, or to the place that the load has in the same iteration, and tiles of
/// different iterations do not overlap.
static bool isIndependent(Operation *load, Operation *write, scf::ForOp loop) {
  if (pointerOf(load) != pointerOf(write))
    return true;
  auto gather = dyn_cast<GatherOp>(load);
  auto scatter = dyn_cast<ScatterOp>(write);
  if (!gather || !scatter || gather.getView() != scatter.getView() ||
      gather.getRows() != scatter.getRows() || gather.getColumn() != scatter.getColumn())
    return false;
  Value column = gather.getColumn(), iv = loop.getInductionVar();
  auto sum = column.getDefiningOp<arith::AddIOp>();
  bool followsIv =
      column == iv || (sum && ((sum.getLhs() == iv && loop.isDefinedOutsideOfLoop(sum.getRhs())) ||
                               (sum.getRhs() == iv && loop.isDefinedOutsideOfLoop(sum.getLhs()))));
  return followsIv && constantOr(loop.getStep(), 0) >= gather.getType().getShape()[1];
}

/// Clones the ops for another value of the induction variable.
static void cloneFor(OpBuilder &builder, ArrayRef<Operation *> slice, Value from, Value to,
                     IRMapping &mapping) {
  mapping.map(from, to);
  for (Operation *op : slice)
    builder.clone(*op, mapping);
}

/// Moves loads out of a loop that does not change what they read. A slice stays: it is read from
/// shared memory wherever it is used, so that it needs no registers in between.
static void hoistInvariant(scf::ForOp loop) {
  SmallVector<Operation *> writes = writesIn(loop);
  for (Operation &op : llvm::make_early_inc_range(loop.getBody()->without_terminator())) {
    bool invariant = llvm::all_of(
        op.getOperands(), [&](Value operand) { return loop.isDefinedOutsideOfLoop(operand); });
    bool movable =
        isLoad(&op)
            ? llvm::all_of(writes,
                           [&](Operation *write) { return pointerOf(&op) != pointerOf(write); })
            : op.getNumRegions() == 0 && isPure(&op) && !isa<SliceOp>(op);
    if (invariant && movable)
      op.moveBefore(loop);
  }
}

/// Makes the loads of a loop one iteration ahead.
static void rotate(scf::ForOp loop) {
  SmallVector<Operation *> writes = writesIn(loop), loads;
  llvm::SetVector<Operation *> slice;
  for (Operation &op : loop.getBody()->without_terminator()) {
    llvm::SetVector<Operation *> needed = slice;
    if (!isLoad(&op) || failed(collectSlice(&op, loop.getBody(), nullptr, needed)))
      continue;
    bool free = llvm::all_of(needed, [&](Operation *part) {
      if (llvm::any_of(part->getOperands(), [&](Value operand) {
            return llvm::is_contained(loop.getRegionIterArgs(), operand);
          }))
        return false;
      // Beyond the loop a table of pointers may end, and a pointer from there leads nowhere.
      return !isLoad(part) || (loop.isDefinedOutsideOfLoop(pointerOf(part)) &&
                               llvm::all_of(writes, [&](Operation *write) {
                                 return isIndependent(part, write, loop);
                               }));
    });
    // Nor can a pointer take the place of one that is not loaded.
    if (!free || isa<PtrType>(getElementTypeOrSelf(op.getResult(0).getType())))
      continue;
    slice = needed;
    loads.push_back(&op);
  }
  if (loads.empty())
    return;

  SmallVector<Operation *> ordered;
  for (Operation &op : loop.getBody()->without_terminator())
    if (slice.contains(&op))
      ordered.push_back(&op);
  IRRewriter rewriter(loop);
  IRMapping first;
  cloneFor(rewriter, ordered, loop.getInductionVar(), loop.getLowerBound(), first);
  SmallVector<Value> inits;
  for (Operation *load : loads)
    inits.push_back(first.lookup(load->getResult(0)));

  auto makeNext = [&](OpBuilder &builder, Location loc, ArrayRef<BlockArgument> carried) {
    // The loads of the next iteration, if there is one, come first in the body, the ones carried in
    // replace its own.
    OpBuilder::InsertionGuard guard(builder);
    Block *body = carried.front().getOwner();
    builder.setInsertionPointToStart(body);
    Value iv = body->getArgument(0);
    Value ahead = arith::AddIOp::create(builder, loc, iv, loop.getStep());
    Value hasNext =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, ahead, loop.getUpperBound());
    SmallVector<Type> types;
    for (BlockArgument argument : carried)
      types.push_back(argument.getType());
    auto conditional = scf::IfOp::create(builder, loc, types, hasNext, /*withElseRegion=*/true);
    builder.setInsertionPointToStart(conditional.thenBlock());
    IRMapping next;
    cloneFor(builder, ordered, loop.getInductionVar(), ahead, next);
    SmallVector<Value> loaded, zeros;
    for (Operation *load : loads)
      loaded.push_back(next.lookup(load->getResult(0)));
    scf::YieldOp::create(builder, loc, loaded);
    builder.setInsertionPointToStart(conditional.elseBlock());
    for (Type type : types)
      zeros.push_back(arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type)));
    scf::YieldOp::create(builder, loc, zeros);
    // Only now, since loads of the next iteration need each other's results and not those carried.
    for (auto [load, argument] : llvm::zip(loads, carried))
      load->getResult(0).replaceAllUsesWith(argument);
    return SmallVector<Value>(conditional.getResults());
  };
  (void)loop.replaceWithAdditionalYields(rewriter, inits, /*replaceInitOperandUses=*/false,
                                         makeNext);
  for (Operation *op : llvm::reverse(ordered))
    if (op->use_empty())
      rewriter.eraseOp(op);
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// Moves the loads that follow a sum in its block, up to the first write, ahead of the sum.
static void hoistAbove(SumOp sum) {
  if (!writesIn(sum).empty())
    return;
  Block *block = sum->getBlock();
  SmallVector<Operation *> candidates;
  for (Operation *op = sum->getNextNode(); op; op = op->getNextNode()) {
    if (!writesIn(op).empty())
      break;
    if (isLoad(op))
      candidates.push_back(op);
  }
  for (Operation *load : candidates) {
    llvm::SetVector<Operation *> slice;
    if (failed(collectSlice(load, block, sum, slice)))
      continue;
    for (Operation *op : slice)
      if (sum->isBeforeInBlock(op))
        op->moveBefore(sum);
  }
}

namespace {

struct PrefetchPass : lora::impl::TilePrefetchBase<PrefetchPass> {
  void runOnOperation() override {
    getOperation()->walk([](KernelOp kernel) {
      kernel->walk([](Operation *op) {
        if (auto store = dyn_cast<StoreOp>(op); store && store.getAccumulate())
          splitAccumulate(store);
        else if (auto scatter = dyn_cast<ScatterOp>(op); scatter && scatter.getAccumulate())
          splitAccumulate(scatter);
      });
      SmallVector<scf::ForOp> loops;
      kernel->walk([&](scf::ForOp loop) { loops.push_back(loop); });
      for (scf::ForOp loop : loops) {
        hoistInvariant(loop);
        rotate(loop);
      }
      kernel->walk([](SumOp sum) { hoistAbove(sum); });
    });
  }
};

} // namespace
