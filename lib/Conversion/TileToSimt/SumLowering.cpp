//===- SumLowering.cpp - Sums in canonical order -------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// The programs and warps that share a sum each evaluate one subtree of the canonical reduction
// tree (lora/Support/ReductionTree.h). A warp walks the leaves of its part in order. It keeps one
// partial sum a level, like a binary counter: a finished leaf is added to the partial sums of the
// levels that it completes, and stored in the first that it does not.
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"
#include "RingLowering.h"
#include "Simt/Simt.h"
#include "lora/Analysis/Bounds.h"
#include "lora/Support/ReductionTree.h"
#include "lora/Transforms/LayoutAttributes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace lora;
using namespace lora::tile;

/// The first element of a leaf, `min(leaf * units >> logLeaves) * kUnit, extent)`.
static Value leafBegin(OpBuilder &b, Location loc, Value leaf, Value units, Value logLeaves,
                       Value extent) {
  Value unit = arith::ConstantIntOp::create(b, loc, ReductionTree::kUnit, 32);
  Value scaled = arith::MulIOp::create(b, loc, leaf, units);
  Value first = arith::ShRUIOp::create(b, loc, scaled, logLeaves);
  Value element = arith::MulIOp::create(b, loc, first, unit);
  return arith::MinSIOp::create(b, loc, element, extent);
}

/// What a warp has of its part of a sum.
struct KernelLowering::Part {
  Registers accumulator; ///< The leaf under way.
  // The rest is empty where the part has a single leaf.
  Registers total;                    ///< Of the finished leaves.
  llvm::SmallVector<Registers> stack; ///< One partial sum a level.
  Value leaf;                         ///< i32, the number of the leaf in the part.
  Value end;                          ///< i32, where the leaf ends.

  SmallVector<Value> flat() const {
    SmallVector<Value> values(accumulator.begin(), accumulator.end());
    llvm::append_range(values, total);
    for (const Registers &registers : stack)
      llvm::append_range(values, registers);
    if (leaf)
      values.append({leaf, end});
    return values;
  }

  /// A part of the same shape, of values in the order of `flat`.
  Part of(ValueRange values) const {
    Part part = *this;
    auto take = [&](Registers &registers) {
      registers = Registers(values.take_front(registers.size()));
      values = values.drop_front(registers.size());
    };
    take(part.accumulator);
    take(part.total);
    for (Registers &registers : part.stack)
      take(registers);
    if (leaf) {
      part.leaf = values[0];
      part.end = values[1];
    }
    return part;
  }
};

/// The part of the tree that this warp of this program evaluates.
KernelLowering::Range KernelLowering::partOf(SumOp sum) {
  int64_t warpsK = sum.getSchedule()->getWarpsK(), split = sum.getSplitInt();
  int64_t parts = split * warpsK;
  Range range;
  range.extent = arith::MaxSIOp::create(builder, loc, scalar(sum.getExtent()), constant(0));
  Value raised = add(range.extent, constant(ReductionTree::kUnit - 1));
  range.units =
      arith::ShRUIOp::create(builder, loc, raised, constant(llvm::Log2_64(ReductionTree::kUnit)));
  Value some = arith::MaxUIOp::create(builder, loc, range.units, constant(1));
  Value zeros = math::CountLeadingZerosOp::create(builder, loc, some);
  Value log = arith::SubIOp::create(builder, loc, constant(31), zeros);
  range.logLeaves =
      arith::MinUIOp::create(builder, loc, log, constant(llvm::Log2_64(ReductionTree::kMaxLeaves)));

  Value part = constant(0);
  if (split > 1)
    part = mul(arith::RemUIOp::create(builder, loc, programId(sum.getAxis()), constant(split)),
               constant(warpsK));
  if (warpsK > 1) {
    int64_t before = llvm::Log2_64(numWarps / warpsK);
    part = add(part, arith::ShRUIOp::create(builder, loc, threads->warp(), constant(before)));
  }
  auto partBegin = [&](Value number) -> Value {
    Value scaled = arith::ShLIOp::create(builder, loc, number, range.logLeaves);
    return arith::ShRUIOp::create(builder, loc, add(scaled, constant(parts - 1)),
                                  constant(llvm::Log2_64(parts)));
  };
  range.firstLeaf = partBegin(part);
  Value lastLeaf = partBegin(add(part, constant(1)));
  auto element = [&](Value leaf) {
    return leafBegin(builder, loc, leaf, range.units, range.logLeaves, range.extent);
  };
  range.begin = element(range.firstLeaf);
  range.end = element(lastLeaf);
  std::optional<int64_t> most = upperBound(sum.getExtent());
  int64_t leaves = most ? ReductionTree(*most).leaves() : ReductionTree::kMaxLeaves;
  range.levels = std::max<int>(0, llvm::Log2_64(leaves) - llvm::Log2_64(parts));
  range.oneBlock = parts == 1 && most && *most <= sum.getStepInt();
  return range;
}

/// Evaluates the body and adds what it yields to `accumulator`.
FailureOr<Registers> KernelLowering::lowerBody(SumOp sum, const Registers &accumulator) {
  llvm::scope_exit restore([this, before = awaited, outer = currentBlock, op = currentOp] {
    awaited = before;
    currentBlock = outer;
    currentOp = op;
  });
  currentBlock = sum.getBody();
  auto product = sum.getYielded().getDefiningOp<DotOp>();
  bool intoAccumulator = product && !product.getAccumulator() && product->hasOneUse();
  for (Operation &op : sum.getBody()->without_terminator()) {
    currentOp = &op;
    Location outer = loc;
    loc = op.getLoc();
    LogicalResult status = success();
    if (intoAccumulator && &op == product.getOperation())
      tiles[product] = dot(product, accumulator);
    else if (!tiles.contains(op.getNumResults() ? op.getResult(0) : Value()))
      status = lower(&op);
    loc = outer;
    if (failed(status))
      return failure();
  }
  Registers result = tiles.lookup(sum.getYielded());
  if (!intoAccumulator)
    for (auto [value, old] : llvm::zip(result, accumulator))
      value = arith::AddFOp::create(builder, loc, old, value);
  return result;
}

/// Adds a finished leaf to the levels it completes, from `level` on. Updates the stack and sets
/// `total` to the sum of everything the levels up to there hold.
static void combineLevels(OpBuilder &b, Location loc, Value index, int level, Registers carry,
                          MutableArrayRef<Registers> stack, Registers &total) {
  if (level == static_cast<int>(stack.size())) {
    total = carry;
    return;
  }
  Value bit = arith::ConstantIntOp::create(b, loc, int64_t(1) << level, 32);
  Value zero = arith::ConstantIntOp::create(b, loc, 0, 32);
  Value completes = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne,
                                          arith::AndIOp::create(b, loc, index, bit), zero);
  SmallVector<Type> types((stack.size() + 1) * carry.size(), b.getF32Type());
  auto yieldAll = [&](ArrayRef<Registers> levels, const Registers &sum) {
    SmallVector<Value> values;
    for (const Registers &registers : levels)
      llvm::append_range(values, registers);
    llvm::append_range(values, sum);
    scf::YieldOp::create(b, loc, values);
  };
  auto conditional = scf::IfOp::create(b, loc, types, completes, /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(conditional.thenBlock());
    Registers sum;
    for (auto [left, right] : llvm::zip(stack[level], carry))
      sum.push_back(arith::AddFOp::create(b, loc, left, right));
    SmallVector<Registers> inner(stack.begin(), stack.end());
    Registers innerTotal;
    combineLevels(b, loc, index, level + 1, sum, inner, innerTotal);
    yieldAll(inner, innerTotal);
    b.setInsertionPointToStart(conditional.elseBlock());
    SmallVector<Registers> stored(stack.begin(), stack.end());
    stored[level] = carry;
    yieldAll(stored, carry);
  }
  ValueRange results = conditional.getResults();
  for (Registers &registers : stack) {
    registers = Registers(results.take_front(carry.size()));
    results = results.drop_front(carry.size());
  }
  total = Registers(results);
}

/// A sum of one block, or of none when the extent is zero.
FailureOr<Registers> KernelLowering::lowerOneBlock(SumOp sum, const Range &range) {
  Registers zeros(getLayoutOf(sum.getYielded().getType()).numRegisters(),
                  zero(builder.getF32Type()));
  Value some =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sgt, range.extent, constant(0));
  scalars[sum.getInductionVar()] = constant(0);
  auto conditional =
      scf::IfOp::create(builder, loc, SmallVector<Type>(zeros.size(), builder.getF32Type()), some,
                        /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(conditional.elseBlock());
  scf::YieldOp::create(builder, loc, zeros);
  builder.setInsertionPointToStart(conditional.thenBlock());
  FailureOr<Registers> block = lowerBody(sum, zeros);
  if (failed(block))
    return failure();
  scf::YieldOp::create(builder, loc, *block);
  return Registers(conditional.getResults());
}

/// Where a leaf of a part ends.
Value KernelLowering::leafEnd(const Range &range, Value leaf) {
  return leafBegin(builder, loc, add(add(range.firstLeaf, leaf), constant(1)), range.units,
                   range.logLeaves, range.extent);
}

/// Moves a leaf that ends with block `k` to its level of the tree, if there is such a block: where
/// `exists`, i1 or null, is true.
KernelLowering::Part KernelLowering::finishLeaf(SumOp sum, const Range &range, Value k,
                                                const Part &part, Value exists) {
  if (!part.leaf)
    return part;
  Value next = add(k, constant(sum.getStepInt()));
  Value atEnd =
      both(exists, arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge, next, part.end));
  auto conditional = scf::IfOp::create(builder, loc, TypeRange(ValueRange(part.flat())), atEnd,
                                       /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(conditional.elseBlock());
  scf::YieldOp::create(builder, loc, part.flat());
  builder.setInsertionPointToStart(conditional.thenBlock());
  Part finished = part;
  combineLevels(builder, loc, part.leaf, 0, part.accumulator, finished.stack, finished.total);
  finished.accumulator.assign(part.accumulator.size(), zero(builder.getF32Type()));
  finished.leaf = add(part.leaf, constant(1));
  finished.end = leafEnd(range, finished.leaf);
  scf::YieldOp::create(builder, loc, finished.flat());
  return part.of(conditional.getResults());
}

/// Adds a block to the leaf under way, if there is such a block.
FailureOr<Registers> KernelLowering::addBlock(SumOp sum, const Registers &accumulator,
                                              Value exists) {
  if (!exists)
    return lowerBody(sum, accumulator);
  auto conditional = scf::IfOp::create(builder, loc, TypeRange(ValueRange(accumulator)), exists,
                                       /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(conditional.elseBlock());
  scf::YieldOp::create(builder, loc, accumulator);
  builder.setInsertionPointToStart(conditional.thenBlock());
  FailureOr<Registers> added = lowerBody(sum, accumulator);
  if (failed(added))
    return failure();
  scf::YieldOp::create(builder, loc, *added);
  return Registers(conditional.getResults());
}

/// The sum over this warp's part of the tree.
FailureOr<Registers> KernelLowering::lowerPart(SumOp sum) {
  std::shared_ptr<Preloaded> begun = begunSum(sum);
  const Range &range = begun->range;
  if (range.oneBlock && sum.getSchedule()->getPath() == OperandPath::Direct)
    return lowerOneBlock(sum, range);
  std::shared_ptr<RingLowering> ring = begun->ring;
  // With loads made ahead, waiting is over before the loop begins.
  SmallVector<Operation *> early = earlyLoads(sum);
  if (!early.empty()) {
    if (!awaited)
      awaitPredecessors();
    preloadSums(sum->getBlock());
  }
  unsigned ahead = early.empty() ? 1 : blocksAhead(sum);
  int64_t step = sum.getStepInt();

  // Carried: the part, the slot of the ring, what early loads gave for each block under way.
  Registers zeros(getLayoutOf(sum.getYielded().getType()).numRegisters(),
                  zero(builder.getF32Type()));
  Part part{zeros, {}, {}, {}, {}};
  if (range.levels > 0)
    part = {zeros, zeros, SmallVector<Registers>(range.levels, zeros), constant(0),
            leafEnd(range, constant(0))};
  SmallVector<Value> inits = part.flat();
  ring->begin();
  if (ring->isActive())
    inits.push_back(constant(0));
  for (unsigned i = 0; i != ahead; ++i)
    for (Operation *load : early)
      llvm::append_range(inits, pack(begun->blocks[i].values.lookup(load)));

  auto loop =
      scf::ForOp::create(builder, loc, range.begin, range.end, constant(ahead * step), inits);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(loop.getBody());
  ValueRange carried = loop.getRegionIterArgs();
  size_t partSize = part.flat().size();
  part = part.of(carried.take_front(partSize));
  carried = carried.drop_front(partSize);
  Value slot;
  if (ring->isActive()) {
    slot = carried.front();
    carried = carried.drop_front();
  }

  SmallVector<Value> loaded;
  for (unsigned i = 0; i != ahead; ++i) {
    auto savedScalars = scalars;
    auto savedTiles = tiles;
    Value k = i == 0 ? loop.getInductionVar() : add(loop.getInductionVar(), constant(i * step));
    Value next = add(k, constant(ahead * step));
    Value needed = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, next, range.end);
    DenseMap<Operation *, Registers> nextValues;
    auto makeAhead = [&](function_ref<bool(Operation *)> isDue) {
      auto bound = tiles;
      for (Operation *load : early)
        tiles.erase(load->getResult(0));
      SmallVector<Operation *> due = llvm::to_vector(llvm::make_filter_range(early, isDue));
      for (auto [load, values] : llvm::zip(due, loadAhead(sum, due, next, needed)))
        nextValues[load] = values;
      tiles = bound;
    };
    scalars[sum.getInductionVar()] = k;
    for (Operation *load : early)
      tiles[load->getResult(0)] = unpack(load->getResult(0).getType(), carried);

    // With a single block under way, the weights of the next are requested before this one is used.
    // All else follows as soon as its registers are free.
    auto isFirst = [&](Operation *load) { return ahead == 1 && mayPrecedeWait(load); };
    makeAhead(isFirst);
    ring->step(k, slot);
    Value exists;
    if (i > 0)
      exists = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, k, range.end);
    FailureOr<Registers> added = addBlock(sum, part.accumulator, exists);
    if (failed(added))
      return failure();
    part.accumulator = *added;
    scalars = savedScalars;
    tiles = savedTiles;
    makeAhead([&](Operation *load) { return !isFirst(load); });
    part = finishLeaf(sum, range, k, part, exists);
    for (Operation *load : early)
      llvm::append_range(loaded, pack(nextValues.lookup(load)));
  }

  SmallVector<Value> yields = part.flat();
  if (ring->isActive())
    yields.push_back(ring->nextSlot(slot));
  llvm::append_range(yields, loaded);
  scf::YieldOp::create(builder, loc, yields);

  builder.setInsertionPointAfter(loop);
  ring->end();
  part = part.of(loop.getResults().take_front(partSize));
  return part.leaf ? part.total : part.accumulator;
}

/// Adds neighbours, level by level.
Registers KernelLowering::addTree(SmallVector<Registers> parts) {
  while (parts.size() > 1) {
    SmallVector<Registers> sums;
    for (size_t i = 0; i < parts.size(); i += 2) {
      Registers sum;
      for (auto [left, right] : llvm::zip(parts[i], parts[i + 1]))
        sum.push_back(arith::AddFOp::create(builder, loc, left, right));
      sums.push_back(sum);
    }
    parts = sums;
  }
  return parts.front();
}

/// Adds the parts of the warps that share the reduced dimension, through shared memory. The result
/// has layout `to`.
Registers KernelLowering::combineWarps(SumOp sum, const Registers &partial, const Layout &to) {
  int warpsK = sum.getSchedule()->getWarpsK();
  if (warpsK == 1)
    return partial;
  auto type = cast<RankedTensorType>(sum.getResult().getType());
  Layout from = getLayoutOf(sum.getYielded().getType());
  SharedTile tile(type.getShape(), type.getElementType(), type.getRank() - 1);
  Value base = shared.beginPhase(builder, loc, warpsK * tile.bytes());
  Value part = arith::ShRUIOp::create(builder, loc, threads->warp(),
                                      constant(llvm::Log2_64(numWarps / warpsK)));
  Value mine = offset(base, mul(part, constant(tile.bytes())));
  tile.store(builder, loc, *threads, mine, from, partial, llvm::Log2_64(warpsK));
  simt::BarrierOp::create(builder, loc, Value(), IntegerAttr());
  SmallVector<Registers> parts;
  for (int i = 0; i != warpsK; ++i)
    parts.push_back(tile.load(builder, loc, *threads, offset(base, i * tile.bytes()), to));
  return addTree(parts);
}

LogicalResult KernelLowering::lowerSum(SumOp sum) {
  bool inCluster = sum.getSchedule()->getSplit() == SplitStrategy::Cluster;
  openInbox(sum);
  enclosingSum = sum;
  FailureOr<Registers> partial = lowerPart(sum);
  enclosingSum = {};
  if (failed(partial))
    return failure();
  Value visible = constant(1, 1);
  if (inCluster) {
    tiles[sum.getResult()] = combineInCluster(sum, *partial, visible);
  } else {
    Registers sums = combineWarps(sum, *partial, getLayoutOf(sum.getResult().getType()));
    if (sum.getSplitInt() > 1 && failed(combineInWorkspace(sum, sums, visible)))
      return failure();
    tiles[sum.getResult()] = sums;
  }
  scalars[sum.getVisible()] = visible;
  return success();
}
