//===- KeepOperands.cpp - Keep what a loop multiplies by again and again ----===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Analysis/Bounds.h"
#include "lora/Analysis/Views.h"
#include "lora/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/MathExtras.h"

namespace lora {
#define GEN_PASS_DEF_TILEKEEPOPERANDS
#include "lora/Transforms/Passes.h.inc"
} // namespace lora

using namespace mlir;
using namespace lora;
using namespace lora::tile;

/// The least that a slice has of a row: its halves lie on different banks in odd and even rows.
static constexpr int64_t kSliceBytes = 128;

/// The gather that an operand comes from, through elementwise ops of its result alone, which are
/// added to `chain`, the last one first. Null if there is none.
static GatherOp gatherOf(Value operand, SumOp sum, SmallVectorImpl<Operation *> &chain) {
  for (;;) {
    Operation *op = operand.getDefiningOp();
    if (!op || op->getBlock() != sum.getBody())
      return {};
    if (auto gather = dyn_cast<GatherOp>(op))
      return gather;
    if (!op->hasTrait<OpTrait::Elementwise>() || op->getNumOperands() != 1)
      return {};
    chain.push_back(op);
    operand = op->getOperand(0);
  }
}

static bool writesThrough(scf::ForOp loop, Value pointer) {
  return loop
      ->walk([&](Operation *op) {
        bool writes =
            isa<StoreOp, ScatterOp>(op) && describeView(op->getOperand(1)).base == pointer;
        return writes ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

static RankedTensorType widened(Type type, int64_t columns) {
  auto tile = cast<RankedTensorType>(type);
  return RankedTensorType::get({tile.getDimSize(0), columns}, tile.getElementType());
}

/// Computes the left operand of a product in a sum before the loop around the sum.
static void keepLeft(DotOp dot, SumOp sum, scf::ForOp loop) {
  SmallVector<Operation *> chain;
  GatherOp gather = gatherOf(dot.getLhs(), sum, chain);
  std::optional<int64_t> bound = upperBound(sum.getExtent());
  if (!gather || !bound || sum.getSplitInt() != 1 || gather.getColumn() != sum.getInductionVar() ||
      !loop.isDefinedOutsideOfLoop(gather.getView()) ||
      !loop.isDefinedOutsideOfLoop(gather.getRows()) ||
      writesThrough(loop, describeView(gather.getView()).base))
    return;
  int64_t step = sum.getStepInt();
  int64_t columns = llvm::alignTo(std::max<int64_t>(*bound, 1), step);
  auto type = cast<RankedTensorType>(dot.getLhs().getType());
  if (columns > step && step * getElementBytes(type.getElementType()) % kSliceBytes != 0)
    return;

  OpBuilder builder(loop);
  Location loc = gather.getLoc();
  Value first = arith::ConstantIntOp::create(builder, loc, 0, 32);
  Value all = GatherOp::create(builder, loc, widened(gather.getType(), columns), gather.getView(),
                               gather.getRows(), first, gather.getAlignmentAttr(),
                               /*inBounds=*/nullptr);
  for (Operation *op : llvm::reverse(chain)) {
    IRMapping mapping;
    mapping.map(op->getOperand(0), all);
    Operation *clone = builder.clone(*op, mapping);
    clone->getResult(0).setType(widened(op->getResult(0).getType(), columns));
    all = clone->getResult(0);
  }
  builder.setInsertionPoint(dot);
  Value slice = SliceOp::create(builder, loc, type, all, sum.getInductionVar());
  chain.push_back(gather);
  dot.getLhsMutable().set(slice);
  for (Operation *op : chain)
    if (op->use_empty())
      op->erase();
}

namespace {

struct KeepOperandsPass : lora::impl::TileKeepOperandsBase<KeepOperandsPass> {
  void runOnOperation() override {
    getOperation()->walk([](KernelOp kernel) {
      if (kernel.getConfigInt("KEEP", 0) == 0)
        return WalkResult::skip();
      SmallVector<DotOp> dots;
      kernel->walk([&](DotOp dot) { dots.push_back(dot); });
      for (DotOp dot : dots) {
        auto sum = dyn_cast<SumOp>(dot->getParentOp());
        if (auto loop = sum ? dyn_cast<scf::ForOp>(sum->getParentOp()) : scf::ForOp())
          keepLeft(dot, sum, loop);
      }
      return WalkResult::skip();
    });
  }
};

} // namespace
