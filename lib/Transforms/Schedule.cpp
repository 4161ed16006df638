//===- Schedule.cpp - Decide how each tile.sum is computed ------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Tile.h"
#include "WarpOrder.h"
#include "lora/Analysis/Target.h"
#include "lora/Layout/MmaLayouts.h"
#include "lora/Support/ReductionTree.h"
#include "lora/Transforms/Passes.h"

#include "mlir/IR/Builders.h"

namespace lora {
#define GEN_PASS_DEF_TILESCHEDULE
#include "lora/Transforms/Passes.h.inc"
} // namespace lora

using namespace mlir;
using namespace lora;
using namespace lora::tile;

/// The narrowest asynchronous copy, in bytes.
static constexpr int64_t kNarrowestCopy = 4;

static SmallVector<DotOp> dotsOf(SumOp sum) {
  SmallVector<DotOp> dots;
  sum.getBody()->walk([&](DotOp dot) { dots.push_back(dot); });
  return dots;
}

static MmaTile tileOf(DotOp dot) {
  auto lhs = dot.getLhs().getType().getShape(), rhs = dot.getRhs().getType().getShape();
  return {static_cast<int>(lhs[0]), static_cast<int>(rhs[1]), static_cast<int>(lhs[1])};
}

/// Why the operands of a dot cannot pass through shared memory, or an empty string.
static std::string whyNotShared(SumOp sum, DotOp dot) {
  for (Value operand : {dot.getLhs(), dot.getRhs()}) {
    Operation *load = operand.getDefiningOp();
    if (!isa_and_present<LoadOp, GatherOp>(load) || load->getBlock() != sum.getBody())
      return "an operand is not loaded by the body itself";
    auto alignment = load->getAttrOfType<IntegerAttr>("alignment");
    if (!alignment || alignment.getInt() < kNarrowestCopy)
      return "an operand is aligned to less than " + std::to_string(kNarrowestCopy) + " bytes";
    if (auto tile = dyn_cast<LoadOp>(load); tile && tile.getPadding())
      return "an operand is padded, and copies can write zeros only";
  }
  return "";
}

/// Programs exchange their parts in a cluster where they can be one, since that is faster.
static FailureOr<SplitStrategy> chooseSplit(SumOp sum) {
  int64_t split = sum.getSplitInt();
  if (split == 1)
    return SplitStrategy::None;
  const TargetFacts &target = getTarget(sum);
  if (sum.getAxis() == Axis::x && split <= target.clusterBlocks)
    return SplitStrategy::Cluster;
  if (sum.getVisibility() == Visibility::One)
    return SplitStrategy::Workspace;
  return sum.emitError("a sum that is visible to all of ")
         << split << " programs across " << stringifyAxis(sum.getAxis())
         << " needs a cluster of them along x: "
         << StringRef(target.name.data(), target.name.size()) << " has clusters of up to "
         << target.clusterBlocks;
}

static LogicalResult schedule(KernelOp kernel, SumOp sum) {
  int64_t warps = kernel.getConfigInt("WARPS", 4), warpsK = kernel.getConfigInt("WARPS_K", 1);
  int64_t stages = kernel.getConfigInt("STAGES", 1);
  FailureOr<SplitStrategy> split = chooseSplit(sum);
  if (failed(split))
    return failure();
  auto setSchedule = [&](OperandPath path, int64_t stages, int64_t m, int64_t n, int64_t k) {
    sum.setScheduleAttr(ScheduleAttr::get(sum.getContext(), path, stages, m, n, k, *split));
    return success();
  };
  if (ReductionTree::kUnit % sum.getStepInt() != 0)
    return sum.emitError("expected a step that divides ")
           << ReductionTree::kUnit << ", got " << sum.getStepInt();
  if (warps % warpsK != 0)
    return sum.emitError("expected WARPS to be a multiple of WARPS_K, got ")
           << warps << " and " << warpsK;
  SmallVector<DotOp> dots = dotsOf(sum);
  if (dots.empty())
    return setSchedule(OperandPath::Direct, 1, warps / warpsK, 1, warpsK);

  bool inRing = stages > 1 && kernel.getConfigInt("RING", 1) != 0;
  OperandPath path = inRing ? OperandPath::Shared : OperandPath::Direct;
  auto isDirect = [&](DotOp dot) {
    std::string reason = whyNotShared(sum, dot);
    if (!reason.empty())
      sum.emitRemark("not using shared memory: ") << reason;
    return !reason.empty();
  };
  if (inRing && llvm::any_of(dots, isDirect)) {
    path = OperandPath::Direct;
    stages = 1;
  }

  MmaTile shares = tileOf(dots.front());
  shareWarps(shares, warps / warpsK, warpOrder(dots.front(), path));
  for (DotOp dot : dots) {
    MmaTile tile = tileOf(dot);
    tile.warpsM = shares.warpsM;
    tile.warpsN = shares.warpsN;
    if (std::string problem = tile.problem(); !problem.empty())
      return dot.emitError("product of ")
             << tile.m << " x " << tile.k << " by " << tile.k << " x " << tile.n << ": " << problem;
  }
  return setSchedule(path, stages, shares.warpsM, shares.warpsN, warpsK);
}

namespace {

struct SchedulePass : lora::impl::TileScheduleBase<SchedulePass> {
  void runOnOperation() override {
    WalkResult result = getOperation()->walk([&](SumOp sum) {
      auto kernel = sum->getParentOfType<KernelOp>();
      if (!kernel.isSpecialized()) {
        kernel.emitError("expected a specialised kernel: run tile-specialize first");
        return WalkResult::interrupt();
      }
      if (sum.getSchedule())
        return WalkResult::advance();
      return failed(schedule(kernel, sum)) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
