//===- ProblemGrid.cpp - Problems from lists of sizes ---------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Tuner/ProblemGrid.h"

#include "lora/Support/Error.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <set>

using namespace lora;
using namespace lora::tuner;

Projection tuner::parseShape(const std::string &text) {
  auto fail = [&] {
    throw Error("--shapes " + text +
                ": expected HIDDENxWIDTH or HIDDENxWIDTH+WIDTH..., e.g. "
                "4096x4096+1024+1024");
  };
  Projection shape;
  shape.name = text;
  const char *at = text.data(), *end = at + text.size();
  auto number = [&] {
    int32_t value = 0;
    auto [next, status] = std::from_chars(at, end, value);
    if (status != std::errc() || value < 1)
      fail();
    at = next;
    return value;
  };
  shape.hidden = number();
  if (at == end || *at != 'x')
    fail();
  do {
    ++at;
    shape.widths.push_back(number());
  } while (at != end && *at == '+');
  if (at != end)
    fail();
  return shape;
}

static std::vector<Projection> projections(const ProblemGrid &grid) {
  std::vector<Projection> result;
  for (const std::string &shape : grid.shapes)
    result.push_back(parseShape(shape));
  for (const std::string &name : grid.models) {
    Model model = findModel(name);
    for (int64_t gpus : grid.tensorParallel)
      for (Projection &projection : model.projections(gpus))
        if (grid.modules.empty() ||
            std::count(grid.modules.begin(), grid.modules.end(), projection.name))
          result.push_back(std::move(projection));
  }
  for (const std::string &module : grid.modules)
    if (module != "qkv" && module != "o" && module != "gate_up" && module != "down")
      throw Error("--modules " + module + ": the models have qkv, o, gate_up and down");
  if (result.empty())
    throw Error("nothing to tune for: expected --models or --shapes");
  return result;
}

static std::vector<int32_t> widthsOf(const Projection &projection) {
  std::vector<int32_t> widths;
  for (int64_t width : projection.widths) {
    if (width > std::numeric_limits<int32_t>::max())
      throw Error("problem: widths: expected at most 2147483647, found " + std::to_string(width));
    widths.push_back(static_cast<int32_t>(width));
  }
  return widths;
}

static std::pair<DType, DType> parseTypes(const std::string &text) {
  size_t slash = std::min(text.find('/'), text.size());
  std::string x = text.substr(0, slash), w = slash < text.size() ? text.substr(slash + 1) : x;
  for (const std::string &name : {x, w})
    if (name != "f16" && name != "bf16")
      throw Error("--dtype " + text + ": expected f16, bf16, or two of these as f16/bf16");
  return {parseDType(x), parseDType(w)};
}

/// The bits of a number in reverse, so that numbers in the order of it halve what is left.
static uint32_t reversed(uint32_t value) {
  uint32_t result = 0;
  for (int bit = 0; bit < 32; ++bit)
    result |= ((value >> bit) & 1) << (31 - bit);
  return result;
}

std::vector<TuneProblem> ProblemGrid::problems(const std::vector<KernelSpace> &spaces) const {
  std::vector<Projection> sizes = projections(*this);
  std::vector<TuneProblem> all;
  std::set<std::string> seen;
  for (const KernelSpace &space : spaces)
    for (const std::string &type : types)
      for (int32_t rank : ranks)
        for (const Projection &projection : sizes)
          for (int32_t slots : adapters)
            for (int64_t count : tokens) {
              TuneProblem problem;
              problem.kernel = space.kernel;
              problem.operation = space.operation();
              std::tie(problem.xType, problem.wType) = parseTypes(type);
              problem.tokens = count;
              problem.hidden = projection.hidden;
              problem.widths = widthsOf(projection);
              problem.rank = rank;
              problem.adapters = slots;
              problem.addInputs = addInputs || problem.operation == Operation::ShrinkExpand;
              problem = problem.normalised();
              if (seen.insert(problem.key()).second)
                all.push_back(std::move(problem));
            }
  std::vector<std::pair<uint32_t, size_t>> order;
  for (size_t i = 0; i < all.size(); ++i)
    order.emplace_back(reversed(static_cast<uint32_t>(i)), i);
  std::sort(order.begin(), order.end());
  std::vector<TuneProblem> result;
  for (auto [key, index] : order)
    result.push_back(all[index]);
  return result;
}
