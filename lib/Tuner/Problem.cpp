//===- Problem.cpp - What a kernel is tuned for ---------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Tuner/Problem.h"

#include "lora/Support/Error.h"
#include "lora/Support/Integers.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <numeric>
#include <sstream>

using namespace lora;
using namespace lora::tuner;

static constexpr int64_t kMostTokens = 1 << 20;
static constexpr int64_t kMostColumns = 1 << 20;

std::string_view tuner::operationName(Operation operation) {
  switch (operation) {
  case Operation::Shrink:
    return "shrink";
  case Operation::Expand:
    return "expand";
  default:
    return "shrink_expand";
  }
}

static void requireRange(const char *field, int64_t value, int64_t low, int64_t high) {
  if (value < low || value > high)
    throw Error(std::string("problem: ") + field + ": expected " + std::to_string(low) + " to " +
                std::to_string(high) + ", found " + std::to_string(value));
}

TuneProblem TuneProblem::normalised() const {
  TuneProblem result = *this;
  requireRange("tokens", tokens, 1, kMostTokens);
  requireRange("rank", rank, 1, 4096);
  requireRange("slices", slices(), 1, 64);
  if (operation == Operation::Expand)
    result.hidden = 0;
  else
    requireRange("hidden", hidden, 1, kMostColumns);
  for (int32_t &width : result.widths)
    if (operation == Operation::Shrink)
      width = 0;
    else
      requireRange("widths", width, 1, kMostColumns);
  requireRange("adapters", adapters, 1, 4096);
  result.adapters = static_cast<int32_t>(std::min<int64_t>(adapters, tokens));
  if (operation != Operation::Expand)
    result.addInputs = true;
  return result;
}

std::string TuneProblem::key() const {
  std::ostringstream text;
  text << kernel << " op=" << operationName(operation) << " x=" << dtypeName(xType)
       << " w=" << dtypeName(wType) << " tokens=" << tokens;
  if (operation != Operation::Expand)
    text << " hidden=" << hidden;
  if (operation == Operation::Shrink) {
    text << " slices=" << slices();
  } else {
    text << " widths=";
    for (size_t i = 0; i < widths.size(); ++i)
      text << (i ? "," : "") << widths[i];
  }
  text << " rank=" << rank << " adapters=" << adapters;
  if (!addInputs)
    text << " add_inputs=0";
  return text.str();
}

static int64_t parseInteger(std::string_view text, std::string_view whole) {
  int64_t value = 0;
  auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc() || end != text.data() + text.size())
    throw Error("problem '" + std::string(whole) + "': expected an integer, found '" +
                std::string(text) + "'");
  return value;
}

static Operation parseOperation(std::string_view name, std::string_view whole) {
  for (Operation operation : {Operation::Shrink, Operation::Expand, Operation::ShrinkExpand})
    if (operationName(operation) == name)
      return operation;
  throw Error("problem '" + std::string(whole) + "': op: expected shrink, expand or shrink_expand");
}

TuneProblem TuneProblem::parse(std::string_view key) {
  TuneProblem problem;
  std::istringstream words{std::string(key)};
  words >> problem.kernel;
  auto small = [&](std::string_view text) {
    int64_t value = parseInteger(text, key);
    if (value < 0 || value > std::numeric_limits<int32_t>::max())
      throw Error("problem '" + std::string(key) + "': " + std::string(text) + " is out of range");
    return static_cast<int32_t>(value);
  };
  for (std::string word; words >> word;) {
    size_t equals = word.find('=');
    std::string name = word.substr(0, equals);
    std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
    if (name == "op")
      problem.operation = parseOperation(value, key);
    else if (name == "x")
      problem.xType = parseDType(value);
    else if (name == "w")
      problem.wType = parseDType(value);
    else if (name == "tokens")
      problem.tokens = parseInteger(value, key);
    else if (name == "hidden")
      problem.hidden = parseInteger(value, key);
    else if (name == "slices")
      problem.widths.assign(size_t(std::clamp(small(value), 0, 64)), 0);
    else if (name == "widths")
      for (std::istringstream list(value); std::getline(list, name, ',');)
        problem.widths.push_back(small(name));
    else if (name == "rank")
      problem.rank = small(value);
    else if (name == "adapters")
      problem.adapters = small(value);
    else if (name == "add_inputs")
      problem.addInputs = parseInteger(value, key) != 0;
    else
      throw Error("problem '" + std::string(key) + "': '" + name + "' is not a field");
  }
  return problem.normalised();
}

int64_t TuneProblem::dispatchHidden() const {
  return operation == Operation::Expand ? *std::max_element(widths.begin(), widths.end()) : hidden;
}

int64_t TuneProblem::totalWidth() const {
  return std::accumulate(widths.begin(), widths.end(), int64_t(0));
}

LoraShape TuneProblem::shape() const {
  LoraShape shape;
  shape.tokens = tokens;
  shape.hidden = hidden;
  shape.maxLoras = adapters;
  shape.maxRank = rank;
  shape.ranks.assign(size_t(adapters), rank);
  shape.sliceWidths = widths;
  if (operation == Operation::Shrink)
    shape.sliceWidths.assign(widths.size(), 1);
  shape.xType = xType;
  shape.wType = wType;
  shape.addInputs = addInputs;
  if (operation != Operation::ShrinkExpand)
    return shape.completed(operation == Operation::Shrink ? LoraOp::Shrink : LoraOp::Expand);
  LoraShape shrink = shape.completed(LoraOp::Shrink);
  shape = shape.completed(LoraOp::Expand);
  shape.hidden = hidden;
  shape.xStride = shrink.xStride;
  shape.aStride = shrink.aStride;
  return shape;
}

double TuneProblem::bytes() const {
  double size = static_cast<double>(byteSize(xType)), weight = double(byteSize(wType));
  double columns = double(totalWidth()), t = double(tokens), r = rank, l = adapters,
         n = double(slices());
  double s = 4 * n * t * r, x = size * t * double(hidden), a = weight * n * l * r * double(hidden);
  double b = weight * l * r * columns, y = size * t * columns * (addInputs ? 2 : 1);
  switch (operation) {
  case Operation::Shrink:
    return x + a + s;
  case Operation::Expand:
    return s + b + y;
  default:
    return x + a + b + y;
  }
}

double TuneProblem::flops() const {
  double shrink = 2.0 * double(tokens) * double(hidden) * rank * double(slices());
  double expand = 2.0 * double(tokens) * rank * double(totalWidth());
  return operation == Operation::Shrink   ? shrink
         : operation == Operation::Expand ? expand
                                          : shrink + expand;
}

std::vector<int32_t> tuner::tokenLora(const TuneProblem &problem) {
  std::vector<int32_t> slots(size_t(problem.tokens));
  for (int64_t token = 0; token < problem.tokens; ++token)
    slots[size_t(token)] = static_cast<int32_t>(token * problem.adapters / problem.tokens);
  return slots;
}

int64_t tuner::rowBlocks(const TuneProblem &problem, int64_t blockM) {
  int64_t blocks = 0, adapters = problem.adapters;
  for (int64_t lora = 0; lora < adapters; ++lora) {
    // The tokens of an adapter as tokenLora deals them out.
    int64_t begin = ceilDiv(lora * problem.tokens, adapters);
    int64_t end = ceilDiv((lora + 1) * problem.tokens, adapters);
    blocks += ceilDiv(end - begin, blockM);
  }
  return blocks;
}

Arguments tuner::assumedArguments(const TuneProblem &problem, int64_t blockM) {
  constexpr uint64_t aligned = 256;
  Arguments arguments;
  for (const char *name : {"x", "a", "b", "s", "y", "token_indices", "row_blocks", "ranks",
                           "scalings", "slice_offsets", "slice_widths"})
    arguments.setPointer(name, aligned);
  int64_t column = 0, commonColumn = problem.totalWidth(), widest = 0;
  for (int32_t width : problem.widths) {
    commonColumn = std::gcd(commonColumn, std::gcd(column, int64_t(width)));
    column += width;
    widest = std::max<int64_t>(widest, width);
  }
  auto i32 = [&](const char *name, int64_t value) {
    arguments.setI32(name, static_cast<int32_t>(value));
  };
  i32("num_row_blocks", rowBlocks(problem, blockM));
  i32("tokens", problem.tokens);
  i32("hidden", problem.hidden);
  i32("max_rank", problem.rank);
  i32("slices", problem.slices());
  i32("max_loras", problem.adapters);
  i32("max_width", widest);
  i32("y_width", problem.totalWidth());
  arguments.setI64("x_stride", problem.hidden);
  arguments.setI64("a_stride", problem.hidden);
  arguments.setI64("b_stride", problem.rank);
  arguments.setI64("s_stride", problem.rank);
  arguments.setI64("s_slice_stride", problem.rank * problem.tokens);
  arguments.setI64("y_stride", commonColumn);
  return arguments;
}
