//===- Schedule.cpp - Decide how each tile.sum is computed ------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Tile.h"
#include "lora/Layout/MmaLayouts.h"
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

/// The dot whose product the body of a sum yields, if it does.
static DotOp getYieldedDot(SumOp sum) { return sum.getYielded().getDefiningOp<DotOp>(); }

/// Why the operands of a dot cannot pass through shared memory, or an empty string.
static std::string whyNotShared(SumOp sum, DotOp dot) {
  for (Value operand : {dot.getLhs(), dot.getRhs()}) {
    Operation *load = operand.getDefiningOp();
    if (!isa_and_present<LoadOp, GatherOp>(load) || load->getBlock() != sum.getBody())
      return "an operand is not loaded by the body itself";
    auto alignment = load->getAttrOfType<IntegerAttr>("alignment");
    if (!alignment || alignment.getInt() < kNarrowestCopy)
      return "an operand is aligned to less than " + std::to_string(kNarrowestCopy) + " bytes";
  }
  return "";
}

/// Shares warps among rows first, then columns, as far as the product allows.
static void shareWarps(MmaTile &tile, int warps) {
  tile.warpsM = std::min(warps, std::max(1, tile.m / 16));
  tile.warpsN = warps / tile.warpsM;
}

static LogicalResult schedule(KernelOp kernel, SumOp sum) {
  int64_t warps = kernel.getConfigInt("WARPS", 4), warpsK = kernel.getConfigInt("WARPS_K", 1);
  int64_t stages = kernel.getConfigInt("STAGES", 1);
  SplitStrategy split = sum.getSplitInt() > 1 ? SplitStrategy::Workspace : SplitStrategy::None;
  auto setSchedule = [&](OperandPath path, int64_t stages, int64_t m, int64_t n, int64_t k) {
    sum.setScheduleAttr(ScheduleAttr::get(sum.getContext(), path, stages, m, n, k, split));
    return success();
  };
  DotOp dot = getYieldedDot(sum);
  if (warps % warpsK != 0)
    return sum.emitError("expected WARPS to be a multiple of WARPS_K, got ")
           << warps << " and " << warpsK;
  if (!dot)
    return setSchedule(OperandPath::Direct, 1, warps / warpsK, 1, warpsK);

  auto lhs = dot.getLhs().getType().getShape(), rhs = dot.getRhs().getType().getShape();
  MmaTile tile{static_cast<int>(lhs[0]), static_cast<int>(rhs[1]), static_cast<int>(lhs[1])};
  shareWarps(tile, warps / warpsK);
  if (std::string problem = tile.problem(); !problem.empty())
    return dot.emitError("product of ") << lhs[0] << " x " << lhs[1] << " by " << rhs[0] << " x "
                                        << rhs[1] << ": " << problem;
  OperandPath path = stages > 1 ? OperandPath::Shared : OperandPath::Direct;
  if (path == OperandPath::Shared)
    if (std::string reason = whyNotShared(sum, dot); !reason.empty()) {
      sum.emitRemark("not using shared memory: ") << reason;
      path = OperandPath::Direct;
      stages = 1;
    }
  return setSchedule(path, stages, tile.warpsM, tile.warpsN, warpsK);
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
