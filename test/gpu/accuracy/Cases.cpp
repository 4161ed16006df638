//===- Cases.cpp - The problems whose accuracy is measured ---------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cases.h"

#include "lora/Support/Error.h"

#include <algorithm>
#include <numeric>

using namespace lora;
using namespace lora::accuracy;

/// Of the tokens, those without an adapter.
static constexpr double kFractionWithout = 0.1;

namespace {

struct Grid {
  std::vector<int64_t> tokens, hidden;
  std::vector<int32_t> ranks, adapters, slices;
};

} // namespace

std::string Case::name() const {
  std::string text(opName(op));
  auto add = [&](const char *name, const std::string &value) {
    text += std::string(" ") + name + "=" + value;
  };
  add("x", std::string(dtypeName(shape.xType)));
  add("w", std::string(dtypeName(shape.wType)));
  add("tokens", std::to_string(shape.tokens));
  add("hidden", std::to_string(op == LoraOp::Shrink ? shape.hidden : shape.sliceWidths[0]));
  add("rank", std::to_string(shape.maxRank));
  add("adapters", std::to_string(shape.maxLoras));
  add("slices", std::to_string(shape.slices()));
  return note.empty() ? text : text + " (" + note + ")";
}

LoraProblem Case::problem(uint64_t seed, RandomPool *pool) const {
  std::vector<int32_t> mapping =
      randomMapping(shape.tokens, shape.maxLoras, kFractionWithout, seed);
  return LoraProblem(op, shape, mapping, seed, pool);
}

std::vector<int32_t> accuracy::sliceWidths(int64_t hidden, int32_t slices) {
  int32_t width = static_cast<int32_t>(hidden), quarter = std::max(1, width / 4);
  if (slices == 1)
    return {width};
  if (slices == 3)
    return {width, quarter, quarter};
  throw Error("slices: expected 1 or 3, found " + std::to_string(slices));
}

Case accuracy::plainCase(LoraOp op, DType type, int64_t tokens, int64_t hidden, int32_t rank,
                         int32_t adapters, int32_t slices) {
  Case result;
  result.op = op;
  result.shape.tokens = tokens;
  result.shape.hidden = hidden;
  result.shape.maxLoras = adapters;
  result.shape.maxRank = rank;
  result.shape.ranks.assign(size_t(adapters), rank);
  result.shape.sliceWidths = sliceWidths(hidden, slices);
  result.shape.xType = result.shape.wType = type;
  return result;
}

static void addGrid(std::vector<Case> &cases, const Grid &grid) {
  for (DType type : {DType::F16, DType::BF16})
    for (LoraOp op : {LoraOp::Shrink, LoraOp::Expand})
      for (int64_t tokens : grid.tokens)
        for (int64_t hidden : grid.hidden)
          for (int32_t rank : grid.ranks)
            for (int32_t adapters : grid.adapters)
              for (int32_t slices : grid.slices)
                cases.push_back(plainCase(op, type, tokens, hidden, rank, adapters, slices));
}

/// Gaps between all rows, which keep the alignments when `gap` is a multiple of 8.
static void addGaps(LoraShape &shape, int32_t gap) {
  int32_t width = std::accumulate(shape.sliceWidths.begin(), shape.sliceWidths.end(), 0);
  shape.outputOffset = gap;
  shape.outputWidth = width + 2 * gap;
  shape.xStride = shape.aStride = shape.hidden + gap;
  shape.bStride = shape.sStride = shape.maxRank + gap;
  shape.yStride = shape.outputWidth + gap;
  shape.sSliceStride = shape.tokens * shape.sStride + gap;
}

static void addSpecialCases(std::vector<Case> &cases, LoraOp op, DType xType, DType wType,
                            int64_t tokens, int64_t hidden) {
  auto add = [&](const char *note, int32_t rank, auto change) {
    Case special = plainCase(op, xType, tokens, hidden, rank, 4, 3);
    special.shape.wType = wType;
    special.inGrid = false;
    special.note = note;
    change(special.shape);
    cases.push_back(special);
  };
  if (xType != wType) {
    add("mixed types", 16, [](LoraShape &) {});
    add("mixed types", 64, [](LoraShape &) {});
    return;
  }
  add("ranks 8, 16, 24 and an empty slot", 24, [](LoraShape &shape) {
    shape.ranks = {8, 16, 0, 24};
  });
  add("odd ranks", 33, [](LoraShape &shape) { shape.ranks = {1, 33, 7, 20}; });
  add("rank 512", 512, [](LoraShape &) {});
  add("aligned gaps between rows", 16, [](LoraShape &shape) { addGaps(shape, 8); });
  add("odd gaps between rows", 16, [](LoraShape &shape) { addGaps(shape, 3); });
  if (op == LoraOp::Expand)
    add("y overwritten", 16, [](LoraShape &shape) { shape.addInputs = false; });
}

static void addSpecialCases(std::vector<Case> &cases, const std::vector<int64_t> &tokens) {
  for (DType xType : {DType::F16, DType::BF16})
    for (DType wType : {DType::F16, DType::BF16})
      for (LoraOp op : {LoraOp::Shrink, LoraOp::Expand})
        for (int64_t count : tokens)
          for (int64_t hidden : {2049, 4096})
            addSpecialCases(cases, op, xType, wType, count, hidden);
}

std::vector<Case> accuracy::allCases() {
  std::vector<Case> cases;
  addGrid(cases, {{1, 16, 17, 128, 1000, 8192},
                  {64, 2048, 2049, 4096, 16384},
                  {1, 8, 16, 24, 64, 128, 256},
                  {1, 4, 64},
                  {1, 3}});
  addSpecialCases(cases, {17, 1000});
  return cases;
}

std::vector<Case> accuracy::quickCases() {
  std::vector<Case> cases;
  addGrid(cases, {{1, 17, 1000}, {64, 2049, 4096}, {1, 16, 64}, {4}, {3}});
  addSpecialCases(cases, {17});
  return cases;
}

PoolSize accuracy::poolSize(const std::vector<Case> &cases) {
  PoolSize size;
  for (const Case &item : cases) {
    LoraShape shape = item.shape.completed(item.op);
    bool isShrink = item.op == LoraOp::Shrink;
    int64_t columns = isShrink ? shape.hidden : shape.outputWidth;
    size.activations = std::max(size.activations, shape.tokens * columns);
    size.weights = std::max(size.weights, shape.maxRank * columns);
  }
  return size;
}
