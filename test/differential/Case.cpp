//===- Case.cpp - One comparison of the implementations of a kernel --------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Case.h"

#include "ParameterSpace.h"
#include "Random.h"
#include "lora/Support/Error.h"
#include "lora/Target/TargetFacts.h"

#include <algorithm>
#include <numeric>

using namespace lora;
using namespace lora::differential;

LoraShape lora::differential::shapeOf(const Case &test, const Launch &launch, size_t tokens) {
  LoraShape shape;
  shape.tokens = static_cast<int64_t>(tokens);
  shape.hidden = test.hidden;
  shape.maxLoras = static_cast<int32_t>(test.ranks.size());
  shape.maxRank = test.maxRank;
  shape.ranks = test.ranks;
  shape.sliceWidths = test.widths;
  shape.xType = test.xType;
  shape.wType = test.wType;
  shape.addInputs = test.addInputs;
  shape.outputOffset = launch.yHead;
  shape.outputWidth =
      std::accumulate(test.widths.begin(), test.widths.end(), launch.yHead) + launch.yTail;
  shape.xStride = test.hidden + launch.xGap;
  shape.aStride = test.hidden + launch.aGap;
  shape.bStride = test.maxRank + launch.bGap;
  shape.yStride = shape.outputWidth + launch.yGap;
  shape.sStride = test.maxRank + launch.sGap;
  shape.sSliceStride = shape.tokens * shape.sStride + launch.sSliceGap;
  return shape.completed(test.op);
}

std::vector<int32_t> lora::differential::repeatedMapping(const Case &test) {
  std::vector<size_t> places = repeatedPlaces(test);
  std::vector<int32_t> mapping(places.size());
  for (size_t i = 0; i < places.size(); ++i)
    mapping[places[i]] =
        i < test.mapping.size() ? test.mapping[i] : test.repeat->extra[i - test.mapping.size()];
  return mapping;
}

std::vector<size_t> lora::differential::repeatedPlaces(const Case &test) {
  std::vector<size_t> places(test.mapping.size() + test.repeat->extra.size());
  std::iota(places.begin(), places.end(), 0);
  if (test.repeat->shuffle != 0)
    Random(test.repeat->shuffle).shuffle(places);
  return places;
}

/// How deep a dot is decides which elements of the reduced dimension share an instruction, and so
/// the order of additions: 16 is a class of its own.
static bool isShallow(const Config &config) {
  auto depth = config.find("BLOCK_K");
  return depth != config.end() && depth->second == 16;
}

static std::string whyInvalid(const Case &test, const Launch &launch,
                              const std::vector<int32_t> &mapping) {
  LoraShape shape = shapeOf(test, launch, mapping.size());
  LoraProblem problem(test.op, shape, mapping, test.data);
  const ParameterSpace &space = ParameterSpace::of(test.op);
  std::string broken = space.brokenBy(launch.config, problem.arguments());
  if (!broken.empty())
    return "the configuration breaks " + broken;
  Config most = defaultConfig(test.op, shape);
  for (const auto &[name, value] : launch.config)
    if (isAlignment(name) && most.contains(name) && value > most.at(name))
      return name + ": expected at most " + std::to_string(most.at(name)) + ", found " +
             std::to_string(value);
  findTarget(launch.target);
  return "";
}

std::string lora::differential::whyInvalid(const Case &test) {
  try {
    std::string reason = ::whyInvalid(test, test.launch, test.mapping);
    if (!reason.empty() || !test.repeat)
      return reason;
    if (isShallow(test.launch.config) != isShallow(test.repeat->launch.config))
      return "a BLOCK_K of 16 and another one do not give the same bits";
    return ::whyInvalid(test, test.repeat->launch, repeatedMapping(test));
  } catch (const Error &error) {
    return error.what();
  }
}

void lora::differential::lowerAlignments(const Case &test, Launch &launch, size_t tokens) {
  Config most = defaultConfig(test.op, shapeOf(test, launch, tokens));
  for (auto &[name, value] : launch.config)
    if (isAlignment(name) && most.contains(name))
      value = std::min(value, most.at(name));
}

/// Blocks of `rows` tokens of one adapter.
static int64_t blocksOfTokens(const std::vector<int32_t> &mapping, size_t adapters, int64_t rows) {
  std::vector<int64_t> counts(adapters);
  for (int32_t adapter : mapping)
    if (adapter >= 0)
      ++counts[static_cast<size_t>(adapter)];
  int64_t blocks = 0;
  for (int64_t count : counts)
    blocks += (count + rows - 1) / rows;
  return blocks;
}

double lora::differential::estimatedSeconds(const Case &test, const Launch &launch,
                                            const std::vector<int32_t> &mapping) {
  // Measured on one core of a server of 2023.
  constexpr double emulated = 4e-9, interpreted = 1.2e-9, compiled = 0.1;
  auto value = [&](const char *name, int64_t otherwise) {
    auto found = launch.config.find(name);
    return found == launch.config.end() ? otherwise : found->second;
  };
  int64_t m = value("BLOCK_M", 16), n = value("BLOCK_N", 16), columns = 0;
  for (int32_t width : test.widths)
    columns += ((test.op == LoraOp::Shrink ? test.maxRank : width) + n - 1) / n * n;
  double depth = static_cast<double>(test.op == LoraOp::Shrink ? test.hidden : test.maxRank);
  double products =
      depth * static_cast<double>(m * columns * blocksOfTokens(mapping, test.ranks.size(), m));
  // Each program of a split evaluates the whole sum when it is interpreted.
  double split = static_cast<double>(value("SPLIT_K", 1));
  return compiled + products * (emulated + interpreted * split);
}
