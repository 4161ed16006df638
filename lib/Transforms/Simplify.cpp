//===- Simplify.cpp - Prove facts about accesses ----------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Analysis/Bounds.h"
#include "lora/Analysis/Divisibility.h"
#include "lora/Analysis/Views.h"
#include "lora/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

namespace lora {
#define GEN_PASS_DEF_TILESIMPLIFY
#include "lora/Transforms/Passes.h.inc"
} // namespace lora

using namespace mlir;
using namespace lora;
using namespace lora::tile;

/// The widest access of one thread, in bytes.
static constexpr int64_t kWidestAccess = 16;

namespace {

/// One access of a tile: its coordinates, null in the dimension that a tile of indices addresses.
struct Access {
  Value view;
  SmallVector<Value, 2> coordinates;
  ArrayRef<int64_t> shape;
};

class FactProver {
public:
  explicit FactProver(KernelOp kernel) : divisibility(kernel) {}

  template <typename OpType> void annotate(OpType op, const Access &access) {
    Builder builder(op.getContext());
    ViewDescription view = describeView(access.view);
    SmallVector<bool> inBounds;
    for (unsigned d = 0; d != view.dimensions.size(); ++d)
      inBounds.push_back(op.isInBounds(d) || proveInBounds(view, access, d));
    op.setInBounds(inBounds);
    if (!op.getAlignment())
      op.setAlignment(alignment(view, access, inBounds));
  }

private:
  bool proveInBounds(const ViewDescription &view, const Access &access, unsigned d);
  int64_t alignment(const ViewDescription &view, const Access &access, ArrayRef<bool> inBounds);
  int64_t strideOf(const ViewDescription::Dimension &dimension);

  Divisibility divisibility;
};

} // namespace

/// A tile cannot leave a dimension that a tile.sum runs over in steps that divide its size.
bool FactProver::proveInBounds(const ViewDescription &view, const Access &access, unsigned d) {
  auto argument = dyn_cast_if_present<BlockArgument>(access.coordinates[d]);
  auto sum = argument ? dyn_cast<SumOp>(argument.getOwner()->getParentOp()) : SumOp();
  Value size = view.dimensions[d].size;
  if (!sum || sum.getExtent() != size)
    return false;
  int64_t step = sum.getStepInt();
  return access.shape[d] <= step && divisibility.of(size) % step == 0;
}

int64_t FactProver::strideOf(const ViewDescription::Dimension &dimension) {
  if (auto number = getStaticStride(dimension.stride))
    return *number;
  return divisibility.of(cast<Value>(dimension.stride));
}

int64_t FactProver::alignment(const ViewDescription &view, const Access &access,
                              ArrayRef<bool> inBounds) {
  int64_t bytes = getElementBytes(cast<ViewType>(access.view.getType()).getElementType());
  std::optional<unsigned> contiguous = view.contiguousDimension();
  if (!contiguous)
    return bytes;
  int64_t result = std::gcd(kWidestAccess, divisibility.of(view.base));
  for (const ViewDescription::Fixed &fixed : view.fixed)
    result = std::gcd(result, divisibility.of(fixed.index) * strideOf(fixed) * bytes);
  for (unsigned d = 0; d != view.dimensions.size(); ++d) {
    if (d != *contiguous) {
      result = std::gcd(result, strideOf(view.dimensions[d]) * bytes);
      continue;
    }
    // Rows that indices address need not follow each other.
    if (!access.coordinates[d])
      return bytes;
    result = std::gcd(result, divisibility.of(access.coordinates[d]) * bytes);
    if (!inBounds[d])
      result = std::gcd(result, divisibility.of(view.dimensions[d].size) * bytes);
  }
  return result;
}

/// Replaces a sum of at most one block by the block.
static void inlineSingleBlock(SumOp sum) {
  std::optional<int64_t> most = upperBound(sum.getExtent());
  if (!most || *most > sum.getStepInt() || sum.getSplitInt() != 1 || sum.getSchedule())
    return;
  IRRewriter rewriter(sum);
  Location loc = sum.getLoc();
  Value zero = arith::ConstantIntOp::create(rewriter, loc, 0, 32);
  Operation *yield = sum.getBody()->getTerminator();
  Value yielded = yield->getOperand(0);
  rewriter.eraseOp(yield);
  rewriter.inlineBlockBefore(sum.getBody(), sum, {zero});
  auto type = cast<RankedTensorType>(sum.getResult().getType());
  Value nothing = arith::ConstantOp::create(
      rewriter, loc, DenseElementsAttr::get(type, rewriter.getF32FloatAttr(0.0f)));
  // A sum starts at +0, and so does a product; of anything else, -0 has to become +0.
  auto product = yielded.getDefiningOp<DotOp>();
  if (!product || product.getAccumulator())
    yielded = arith::AddFOp::create(rewriter, loc, nothing, yielded);
  Value some =
      arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::sgt, sum.getExtent(), zero);
  Value result = arith::SelectOp::create(rewriter, loc, some, yielded, nothing);
  Value visible = arith::ConstantIntOp::create(rewriter, loc, 1, 1);
  rewriter.replaceOp(sum, {result, visible});
}

namespace {

struct SimplifyPass : lora::impl::TileSimplifyBase<SimplifyPass> {
  void runOnOperation() override {
    getOperation()->walk([](KernelOp kernel) {
      if (kernel.isSpecialized())
        kernel->walk([](SumOp sum) { inlineSingleBlock(sum); });
      FactProver prover(kernel);
      kernel->walk([&](Operation *op) {
        TypeSwitch<Operation *>(op)
            .Case([&](LoadOp load) {
              prover.annotate(load, {load.getView(), llvm::to_vector<2>(load.getIndices()),
                                     load.getType().getShape()});
            })
            .Case([&](StoreOp store) {
              prover.annotate(store, {store.getView(), llvm::to_vector<2>(store.getIndices()),
                                      store.getValue().getType().getShape()});
            })
            .Case([&](GatherOp gather) {
              prover.annotate(
                  gather,
                  {gather.getView(), {Value(), gather.getColumn()}, gather.getType().getShape()});
            })
            .Case([&](ScatterOp scatter) {
              prover.annotate(scatter, {scatter.getView(),
                                        {Value(), scatter.getColumn()},
                                        scatter.getValue().getType().getShape()});
            });
      });
    });
  }
};

} // namespace
