//===- Sum.cpp - Interpretation of tile.sum -------------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Dot.h"
#include "Handlers.h"
#include "Tile/Tile.h"
#include "lora/Support/ReductionTree.h"

#include <limits>
#include <vector>

using namespace mlir;
using namespace lora;
using namespace lora::interpreter;

static void addInPlace(Tensor &sum, const Tensor &value) {
  for (int64_t i = 0, size = sum.size(); i != size; ++i)
    sum.floats[i] += value.floats[i];
}

/// The dot whose products go to the running value of a leaf one by one, or null.
static tile::DotOp getDirectDot(tile::SumOp op) {
  auto dot = op.getYielded().getDefiningOp<tile::DotOp>();
  bool isDirect =
      dot && dot->getBlock() == op.getBody() && !dot.getAccumulator() && dot->hasOneUse();
  return isDirect ? dot : tile::DotOp();
}

/// Adds what the body yields for the block of elements from `k` on.
static LogicalResult addBlock(Program &program, tile::SumOp op, tile::DotOp directDot, int64_t k,
                              Tensor &sum) {
  program.bind(op.getInductionVar(), Tensor::scalar(Element::I32, k));
  for (Operation &inner : op.getBody()->without_terminator())
    if (&inner != directDot && failed(program.evaluate(&inner)))
      return failure();
  if (directDot)
    accumulateDot(program.tensor(directDot.getLhs()), program.tensor(directDot.getRhs()), sum);
  else
    addInPlace(sum, program.tensor(op.getYielded()));
  return success();
}

/// Notes that a program evaluates a split sum. Returns its place in its group, or failure if the
/// grid does not consist of whole groups.
static FailureOr<int64_t> joinGroup(Program &program, tile::SumOp op, int64_t split) {
  Launch &launch = program.launch;
  const auto axis = static_cast<unsigned>(op.getAxis());
  if (launch.grid[axis] % split != 0)
    return program.error(op) << "expected a grid size along " << tile::stringifyAxis(op.getAxis())
                             << " that is a multiple of the split " << split << ", got "
                             << launch.grid[axis];
  GridPoint first = program.id;
  const int64_t member = first[axis] % split;
  first[axis] -= member;
  SmallVector<int64_t> &counts = launch.evaluations[{op, launch.linearize(first)}];
  counts.resize(split);
  ++counts[member];
  return member;
}

static LogicalResult evaluateSum(Program &program, tile::SumOp op) {
  auto stepAttr = dyn_cast<IntegerAttr>(op.getStep());
  auto splitAttr = dyn_cast<IntegerAttr>(op.getSplit());
  if (!stepAttr || !splitAttr)
    return program.error(op) << "expected a specialised kernel, got step " << op.getStep()
                             << " and split " << op.getSplit();
  const int64_t step = stepAttr.getInt(), split = splitAttr.getInt();
  if (ReductionTree::kUnit % step != 0)
    return program.error(op) << "expected a step that divides " << ReductionTree::kUnit << ", got "
                             << step;
  int64_t member = 0;
  if (split != 1) {
    FailureOr<int64_t> joined = joinGroup(program, op, split);
    if (failed(joined))
      return failure();
    member = *joined;
  }

  const ReductionTree tree(std::max<int64_t>(program.integer(op.getExtent()), 0));
  const tile::DotOp directDot = getDirectDot(op);
  std::vector<Tensor> nodes(tree.leaves(), Tensor(op.getResult().getType()));
  for (int64_t leaf = 0; leaf != tree.leaves(); ++leaf)
    for (int64_t k = tree.leafBegin(leaf); k < tree.leafBegin(leaf + 1); k += step)
      if (failed(addBlock(program, op, directDot, k, nodes[leaf])))
        return failure();
  // In each round node i becomes the sum of nodes 2i and 2i + 1 of the round before.
  for (int64_t width = tree.leaves(); width != 1; width /= 2)
    for (int64_t i = 0; i != width / 2; ++i) {
      addInPlace(nodes[2 * i], nodes[2 * i + 1]);
      std::swap(nodes[i], nodes[2 * i]);
    }

  Tensor &sum = nodes.front();
  const bool isVisible = op.getVisibility() == tile::Visibility::All || member == split - 1;
  if (!isVisible)
    sum.floats.assign(sum.size(), std::numeric_limits<float>::quiet_NaN());
  program.bind(op.getResult(), std::move(sum));
  program.bind(op.getVisible(), Tensor::scalar(Element::I1, isVisible));
  return success();
}

void lora::interpreter::addSum(HandlerTable &table) { table.add<evaluateSum>(); }
