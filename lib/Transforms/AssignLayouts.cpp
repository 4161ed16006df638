//===- AssignLayouts.cpp - Give every tile a layout -------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Tile.h"
#include "WarpOrder.h"
#include "lora/Analysis/Views.h"
#include "lora/Layout/MmaLayouts.h"
#include "lora/Transforms/LayoutAttributes.h"
#include "lora/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/TypeSwitch.h"

namespace lora {
#define GEN_PASS_DEF_TILEASSIGNLAYOUTS
#include "lora/Transforms/Passes.h.inc"
} // namespace lora

using namespace mlir;
using namespace lora;
using namespace lora::tile;

namespace {

class LayoutAssigner {
public:
  LayoutAssigner(KernelOp kernel)
      : context(kernel.getContext()), kernelWarps(kernel.getConfigInt("WARPS", 4)) {}

  LogicalResult run(KernelOp kernel) {
    return success(succeeded(run(*kernel.getBody())) && succeeded(finish(kernel)));
  }

private:
  LogicalResult run(Block &block);
  LogicalResult finish(KernelOp kernel);
  /// The tile `value` in a layout: itself, a copy of the op that computes it, or a conversion.
  Value get(Value value, LayoutAttr wanted);
  Value compute(Operation *op, LayoutAttr wanted);
  Value convert(Value value, LayoutAttr wanted);
  Value cloneWithOperands(Operation *op, LayoutAttr wanted,
                          function_ref<LayoutAttr(OpOperand &)> operandLayout);

  /// The layout in which a tile comes at no cost.
  LayoutAttr naturalLayout(Value value);
  /// The same if some product or loop decides it, else null.
  LayoutAttr decidedLayout(Value value);
  LayoutAttr storedLayout(Operation *store);
  LayoutAttr blocked(RankedTensorType type, int contiguous, int vectorBytes);
  LayoutAttr spread(RankedTensorType type);
  LayoutAttr productLayout(DotOp dot);
  LayoutAttr slice(LayoutAttr layout, int kept) {
    return toAttribute(context, fromAttribute(layout).slice(kept));
  }
  MmaTile mmaTile(DotOp dot);

  LogicalResult visitSum(SumOp sum);
  LogicalResult visitFor(scf::ForOp loop);
  LogicalResult visitIf(scf::IfOp conditional);
  LogicalResult decideIf(OpResult result, LayoutAttr layout);

  MLIRContext *context;
  int kernelWarps;
  /// The schedule of the tile.sum whose body is being visited.
  ScheduleAttr schedule;
  DenseMap<std::pair<Value, Attribute>, Value> computed;
};

} // namespace

static bool isElementwise(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() && op->getNumResults() == 1;
}

//===----------------------------------------------------------------------===//
// Choosing layouts
//===----------------------------------------------------------------------===//

LayoutAttr LayoutAssigner::blocked(RankedTensorType type, int contiguous, int vectorBytes) {
  SmallVector<int32_t> shape(type.getShape().begin(), type.getShape().end());
  int vector = std::max<int>(1, vectorBytes / getElementBytes(type.getElementType()));
  int sharing = schedule ? schedule.getWarpsK() : 1;
  return toAttribute(context, blockedLayout(shape, contiguous, vector, kernelWarps, sharing));
}

LayoutAttr LayoutAssigner::spread(RankedTensorType type) {
  SmallVector<int32_t> shape(type.getShape().begin(), type.getShape().end());
  return toAttribute(context,
                     spreadLayout(shape, 16 / getElementBytes(type.getElementType()), kernelWarps));
}

MmaTile LayoutAssigner::mmaTile(DotOp dot) {
  auto lhs = dot.getLhs().getType().getShape();
  MmaTile tile{static_cast<int>(lhs[0]), static_cast<int>(dot.getType().getShape()[1]),
               static_cast<int>(lhs[1])};
  if (schedule) {
    tile.warpsM = schedule.getWarpsM();
    tile.warpsN = schedule.getWarpsN();
    tile.warpsK = schedule.getWarpsK();
  } else {
    shareWarps(tile, kernelWarps, warpOrder(dot, OperandPath::Direct));
  }
  return tile;
}

LayoutAttr LayoutAssigner::productLayout(DotOp dot) {
  return toAttribute(context, mmaTile(dot).accumulator());
}

LayoutAttr LayoutAssigner::decidedLayout(Value value) {
  if (LayoutAttr layout = getLayout(value.getType()))
    return layout;
  Operation *op = value.getDefiningOp();
  if (!op)
    return {};
  if (auto dot = dyn_cast<DotOp>(op))
    return productLayout(dot);
  if (isElementwise(op))
    for (Value operand : op->getOperands())
      if (isTile(operand.getType()))
        if (LayoutAttr layout = decidedLayout(operand))
          return layout;
  return {};
}

LayoutAttr LayoutAssigner::naturalLayout(Value value) {
  if (LayoutAttr layout = decidedLayout(value))
    return layout;
  auto type = cast<RankedTensorType>(value.getType());
  int contiguous = type.getRank() - 1;
  if (auto load = value.getDefiningOp<LoadOp>())
    contiguous = describeView(load.getView()).contiguousDimension().value_or(contiguous);
  return blocked(type, contiguous, 16);
}

/// The layout in which a tile is stored. Threads of a product hold pieces of 16 bytes of different
/// rows. Where rows of 16-bit elements are not aligned enough to store these in one or two
/// accesses, neighbouring threads store neighbouring elements instead.
LayoutAttr LayoutAssigner::storedLayout(Operation *store) {
  Value value = store->getOperand(0);
  LayoutAttr natural = naturalLayout(value);
  auto type = cast<RankedTensorType>(value.getType());
  int elementBytes = getElementBytes(type.getElementType());
  if (type.getRank() != 2 || elementBytes != 2 || !decidedLayout(value))
    return natural;
  int contiguous = describeView(store->getOperand(1)).contiguousDimension().value_or(1);
  auto alignment = store->getAttrOfType<IntegerAttr>("alignment");
  int accessBytes = alignment ? alignment.getInt() : elementBytes;
  int pieceBytes = fromAttribute(natural).contiguousRegisters(contiguous) * elementBytes;
  return pieceBytes > 2 * accessBytes ? blocked(type, contiguous, accessBytes) : natural;
}

//===----------------------------------------------------------------------===//
// Computing a tile in a layout
//===----------------------------------------------------------------------===//

Value LayoutAssigner::convert(Value value, LayoutAttr wanted) {
  OpBuilder builder(context);
  builder.setInsertionPointAfterValue(value);
  return ConvertLayoutOp::create(builder, value.getLoc(), withLayout(value.getType(), wanted),
                                 value);
}

/// The result of a copy of an op whose operands are tiles in the given layouts; null if one of them
/// cannot be had.
Value LayoutAssigner::cloneWithOperands(Operation *op, LayoutAttr wanted,
                                        function_ref<LayoutAttr(OpOperand &)> operandLayout) {
  // One tile may be several operands, each in a layout of its own.
  SmallVector<Value> operands;
  for (OpOperand &operand : op->getOpOperands()) {
    bool isLaidOut = isTile(operand.get().getType());
    operands.push_back(isLaidOut ? get(operand.get(), operandLayout(operand)) : operand.get());
    if (!operands.back())
      return {};
  }
  OpBuilder builder(op);
  Operation *clone = builder.clone(*op);
  clone->setOperands(operands);
  clone->getResult(0).setType(withLayout(op->getResult(0).getType(), wanted));
  return clone->getResult(0);
}

/// Whether a value takes the layout that it is first wanted in: a sum that is read back from shared
/// memory, a tile that a loop carries along, or one that branches give.
static bool isUndecided(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument ? isa<scf::ForOp>(argument.getOwner()->getParentOp())
                  : isa<SumOp, scf::IfOp>(value.getDefiningOp());
}

/// Whether an elementwise computation reads a tile that memory, a loop or a branch gives.
static bool isLoaded(Value value) {
  if (getLayout(value.getType()))
    return false;
  Operation *op = value.getDefiningOp();
  if (op && isElementwise(op))
    return llvm::any_of(op->getOperands(), [](Value operand) {
      return isTile(operand.getType()) && isLoaded(operand);
    });
  return isa_and_present<LoadOp, GatherOp>(op) ||
         (isUndecided(value) && !isa_and_present<SumOp>(op));
}

Value LayoutAssigner::compute(Operation *op, LayoutAttr wanted) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    OpBuilder builder(op);
    auto type = withLayout(constant.getType(), wanted);
    auto value = cast<DenseElementsAttr>(constant.getValue());
    if (!value.isSplat())
      return {};
    return arith::ConstantOp::create(
        builder, op->getLoc(), DenseElementsAttr::get(type, value.getSplatValue<Attribute>()));
  }
  if (auto dot = dyn_cast<DotOp>(op)) {
    MmaTile tile = mmaTile(dot);
    if (std::string problem = tile.problem(); !problem.empty()) {
      dot.emitError("product of ")
          << tile.m << " x " << tile.k << " by " << tile.k << " x " << tile.n << ": " << problem;
      return {};
    }
    LayoutAttr product = productLayout(dot);
    LayoutAttr lhs = toAttribute(context, tile.lhs()), rhs = toAttribute(context, tile.rhs());
    LayoutAttr operands[] = {lhs, rhs, product};
    Value result = cloneWithOperands(
        op, product, [&](OpOperand &operand) { return operands[operand.getOperandNumber()]; });
    return !result || product == wanted ? result : convert(result, wanted);
  }
  // Operands that pass through shared memory are loaded in pieces of 16 bytes along k and read
  // back as fragments.
  if (isa<LoadOp, GatherOp>(op) && schedule && schedule.getPath() == OperandPath::Shared &&
      llvm::any_of(op->getUsers(), [](Operation *user) { return isa<DotOp>(user); })) {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    int contiguous = isa<GatherOp>(op) ? 1 : 0;
    if (auto load = dyn_cast<LoadOp>(op))
      contiguous = describeView(load.getView()).contiguousDimension().value_or(1);
    LayoutAttr copied =
        blocked(type, contiguous, op->getAttrOfType<IntegerAttr>("alignment").getInt());
    if (copied != wanted) {
      Value loaded = cloneWithOperands(op, copied, [&](OpOperand &) { return slice(copied, 0); });
      return loaded ? convert(loaded, wanted) : Value();
    }
  }
  if (isa<GatherOp>(op))
    return cloneWithOperands(op, wanted, [&](OpOperand &) { return slice(wanted, 0); });
  if (auto sliced = dyn_cast<SliceOp>(op)) {
    // All warps of the block put the tile into shared memory, whoever reads slices of it.
    llvm::scope_exit restore([this, before = schedule] { schedule = before; });
    schedule = {};
    LayoutAttr natural = naturalLayout(sliced.getOperand());
    return cloneWithOperands(op, wanted, [&](OpOperand &) { return natural; });
  }
  if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
    LayoutAttr kept = slice(wanted, 1 - broadcast.getDimension());
    return cloneWithOperands(op, wanted, [&](OpOperand &) { return kept; });
  }
  // One conversion of the result instead of one for each operand, unless one comes from memory in
  // any layout.
  if (isElementwise(op) && !isLoaded(op->getResult(0)))
    if (LayoutAttr decided = decidedLayout(op->getResult(0)); decided && decided != wanted) {
      Value result = get(op->getResult(0), decided);
      return result ? convert(result, wanted) : Value();
    }
  if (isa<LoadOp, SplatOp, IotaOp>(op) || isElementwise(op))
    return cloneWithOperands(op, wanted, [&](OpOperand &) { return wanted; });
  return {};
}

/// Gives a tile that branches give a layout.
LogicalResult LayoutAssigner::decideIf(OpResult result, LayoutAttr layout) {
  unsigned i = result.getResultNumber();
  for (Region &region : result.getOwner()->getRegions()) {
    Operation *yield = region.front().getTerminator();
    Value value = get(yield->getOperand(i), layout);
    if (!value)
      return failure();
    yield->setOperand(i, value);
  }
  result.setType(withLayout(result.getType(), layout));
  return success();
}

Value LayoutAssigner::get(Value value, LayoutAttr wanted) {
  LayoutAttr current = getLayout(value.getType());
  if (current == wanted)
    return value;
  if (!current && isUndecided(value)) {
    if (isa_and_present<scf::IfOp>(value.getDefiningOp()))
      return succeeded(decideIf(cast<OpResult>(value), wanted)) ? value : Value();
    value.setType(withLayout(value.getType(), wanted));
    return value;
  }
  Value &result = computed[{value, wanted}];
  if (result)
    return result;
  Value made = current                 ? convert(value, wanted)
               : value.getDefiningOp() ? compute(value.getDefiningOp(), wanted)
                                       : Value();
  if (!made)
    emitError(value.getLoc()) << "no layout can be given to this tile of type " << value.getType();
  computed[{value, wanted}] = made;
  return made;
}

//===----------------------------------------------------------------------===//
// Visiting the ops that need tiles
//===----------------------------------------------------------------------===//

LogicalResult LayoutAssigner::visitSum(SumOp sum) {
  ScheduleAttr outer = schedule;
  if (outer)
    return sum.emitError("a tile.sum inside of another is not supported");
  schedule = sum.getScheduleAttr();
  if (!schedule)
    return sum.emitError("expected a schedule: run tile-schedule first");
  if (static_cast<int>(schedule.getWarpsM() * schedule.getWarpsN() * schedule.getWarpsK()) !=
      kernelWarps)
    return sum.emitError("expected a schedule for the ")
           << kernelWarps << " warps of the kernel, got " << schedule;
  if (failed(run(*sum.getBody())))
    return failure();
  LayoutAttr partial = naturalLayout(sum.getYielded());
  Value yielded = get(sum.getYielded(), partial);
  if (!yielded)
    return failure();
  sum.getBody()->getTerminator()->setOperand(0, yielded);
  // A sum that is read back from shared memory comes in any layout: in the one that is first asked
  // for, unless every block of a cluster adds up the parts, which all of its threads then share.
  bool inCluster = schedule.getSplit() == SplitStrategy::Cluster;
  bool anyLayout = schedule.getWarpsK() > 1 || inCluster;
  schedule = outer;
  auto type = cast<RankedTensorType>(sum.getResult().getType());
  if (inCluster && sum.getVisibility() == Visibility::All)
    sum.getResult().setType(withLayout(type, spread(type)));
  else if (!anyLayout)
    sum.getResult().setType(withLayout(type, partial));
  return success();
}

LogicalResult LayoutAssigner::visitFor(scf::ForOp loop) {
  auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
  for (auto [i, argument] : llvm::enumerate(loop.getRegionIterArgs())) {
    if (!isTile(argument.getType()))
      continue;
    LayoutAttr layout = decidedLayout(yield.getOperand(i));
    if (!layout)
      layout = decidedLayout(loop.getInitArgs()[i]);
    // Otherwise the first use in the body decides.
    if (layout)
      argument.setType(withLayout(argument.getType(), layout));
  }
  if (failed(run(*loop.getBody())))
    return failure();
  for (auto [i, argument] : llvm::enumerate(loop.getRegionIterArgs())) {
    if (!isTile(argument.getType()))
      continue;
    LayoutAttr layout = getLayout(argument.getType());
    if (!layout)
      layout = naturalLayout(loop.getInitArgs()[i]);
    Value init = get(loop.getInitArgs()[i], layout), next = get(yield.getOperand(i), layout);
    if (!init || !next)
      return failure();
    argument.setType(init.getType());
    loop.getResult(i).setType(init.getType());
    loop.getInitArgsMutable()[i].set(init);
    yield.setOperand(i, next);
  }
  return success();
}

LogicalResult LayoutAssigner::visitIf(scf::IfOp conditional) {
  for (Region &region : conditional->getRegions())
    if (!region.empty() && failed(run(region.front())))
      return failure();
  for (OpResult result : conditional->getResults()) {
    if (!isTile(result.getType()))
      continue;
    Value yielded = conditional.thenYield().getOperand(result.getResultNumber());
    // Otherwise the first use decides.
    if (LayoutAttr layout = decidedLayout(yielded); layout && failed(decideIf(result, layout)))
      return failure();
  }
  return success();
}

/// Gives the results of branches that no one reads a layout.
LogicalResult LayoutAssigner::finish(KernelOp kernel) {
  WalkResult walked = kernel->walk([&](scf::IfOp conditional) {
    for (OpResult result : conditional->getResults()) {
      if (!isTile(result.getType()) || getLayout(result.getType()))
        continue;
      Value yielded = conditional.thenYield().getOperand(result.getResultNumber());
      if (failed(decideIf(result, naturalLayout(yielded))))
        return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}

LogicalResult LayoutAssigner::run(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    LogicalResult visited = TypeSwitch<Operation *, LogicalResult>(&op)
                                .Case([&](SumOp sum) { return visitSum(sum); })
                                .Case([&](scf::ForOp loop) { return visitFor(loop); })
                                .Case([&](scf::IfOp conditional) { return visitIf(conditional); })
                                .Case<StoreOp, ScatterOp>([&](auto store) -> LogicalResult {
                                  LayoutAttr layout = storedLayout(store);
                                  for (OpOperand &operand : store->getOpOperands()) {
                                    if (!isTile(operand.get().getType()))
                                      continue;
                                    bool isValue = operand.getOperandNumber() == 0;
                                    Value value =
                                        get(operand.get(), isValue ? layout : slice(layout, 0));
                                    if (!value)
                                      return failure();
                                    operand.set(value);
                                  }
                                  return success();
                                })
                                .Default([](Operation *) { return success(); });
    if (failed(visited))
      return failure();
  }
  return success();
}

/// Erases the ops on tiles without a layout, which no one uses.
static void eraseUnused(KernelOp kernel) {
  SmallVector<Operation *> dead;
  kernel->walk([&](Operation *op) {
    if (op->getNumRegions() == 0 && op->getNumResults() == 1 &&
        isTile(op->getResult(0).getType()) && !getLayout(op->getResult(0).getType()))
      dead.push_back(op);
  });
  for (Operation *op : llvm::reverse(dead))
    op->erase();
  // A sum that no one reads lies as its parts do.
  kernel->walk([](SumOp sum) {
    if (!getLayout(sum.getResult().getType()))
      sum.getResult().setType(cast<RankedTensorType>(sum.getYielded().getType()));
  });
}

namespace {

struct AssignLayoutsPass : lora::impl::TileAssignLayoutsBase<AssignLayoutsPass> {
  void runOnOperation() override {
    WalkResult result = getOperation()->walk([](KernelOp kernel) {
      if (!kernel.isSpecialized()) {
        kernel.emitError("expected a specialised kernel: run tile-specialize first");
        return WalkResult::interrupt();
      }
      if (failed(LayoutAssigner(kernel).run(kernel)))
        return WalkResult::interrupt();
      eraseUnused(kernel);
      return WalkResult::skip();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
