//===- Case.cpp - One comparison of the implementations of a kernel --------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Case.h"

#include "ParameterSpace.h"
#include "Random.h"
#include "Workload.h"
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
  if (test.kernel != Kernel::Expand)
    shape = shape.completed(LoraOp::Shrink);
  return test.kernel == Kernel::Shrink ? shape : shape.completed(LoraOp::Expand);
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

/// How deep the dots over the rank are decides which of its elements share an instruction, and so
/// the order of additions: 16 is a class of its own.
static bool isShallow(const Config &config) {
  auto bound = config.find("MAX_RANK");
  return bound != config.end() && bound->second == 16;
}

Config lora::differential::mostAlignments(Kernel kernel, const LoraShape &shape) {
  Config most;
  // Where both ops have an alignment of the same name, that of expand is the narrower.
  for (LoraOp op : {LoraOp::Expand, LoraOp::Shrink}) {
    if (kernel == (op == LoraOp::Expand ? Kernel::Shrink : Kernel::Expand))
      continue;
    for (const auto &[name, value] : defaultConfig(op, shape))
      if (isAlignment(name))
        most.emplace(name, value);
  }
  return most;
}

/// The most shared memory that a configuration can take: the parts of all programs, beside which
/// lie those of the warps, the ring, or a product whose threads store other elements; and what a
/// loop keeps.
static int64_t sharedBytes(Kernel kernel, const Config &config) {
  constexpr int64_t others = 1024;
  int64_t m = config.at("BLOCK_M"), product = 0;
  if (kernel != Kernel::Shrink && config.at("Y_ALIGN") <= 2)
    product = m * config.at("BLOCK_N") * byteSize(DType::F32);
  if (kernel == Kernel::Expand)
    return product + config.at("KEEP") * m * config.at("MAX_RANK") * 2 + others;
  int64_t warpsK = config.at("WARPS_K"), split = config.at("SPLIT_K");
  int64_t n = config.at(kernel == Kernel::Shrink ? "BLOCK_N" : "MAX_RANK");
  int64_t tile = m * n * byteSize(DType::F32);
  int64_t ring =
      config.at("RING") * config.at("STAGES") * warpsK * (m + n) * config.at("BLOCK_K") * 2;
  return split * tile + std::max({warpsK * tile, ring, product}) + others;
}

/// Only blocks of a cluster can all see the sum of a split, and targets have more shared memory or
/// less.
static std::string whyWrongTarget(const Case &test, const Launch &launch) {
  const TargetFacts &target = findTarget(launch.target);
  if (test.kernel == Kernel::ShrinkExpand && launch.config.at("SPLIT_K") > target.clusterBlocks)
    return "shrink_expand needs a SPLIT_K of up to " + std::to_string(target.clusterBlocks) +
           " on " + launch.target;
  if (sharedBytes(test.kernel, launch.config) > target.sharedBytesPerBlock)
    return "the configuration may need more shared memory than " + launch.target + " has";
  return "";
}

static std::string whyInvalid(const Case &test, const Launch &launch,
                              const std::vector<int32_t> &mapping) {
  std::string broken =
      ParameterSpace::of(test.kernel)
          .brokenBy(launch.config,
                    Workload(test, launch, mapping).arguments(launch.config.at("BLOCK_M")));
  if (!broken.empty())
    return "the configuration breaks " + broken;
  Config most = mostAlignments(test.kernel, shapeOf(test, launch, mapping.size()));
  for (const auto &[name, value] : launch.config)
    if (most.contains(name) && value > most.at(name))
      return name + ": expected at most " + std::to_string(most.at(name)) + ", found " +
             std::to_string(value);
  return whyWrongTarget(test, launch);
}

std::string lora::differential::whyInvalid(const Case &test) {
  try {
    if (test.kernel == Kernel::ShrinkExpand && !test.addInputs)
      return "shrink_expand always adds";
    if (test.repeat && test.repeat->separate && test.kernel != Kernel::ShrinkExpand)
      return "only shrink_expand can be done separately";
    std::string reason = ::whyInvalid(test, test.launch, test.mapping);
    if (!reason.empty() || !test.repeat)
      return reason;
    if (isShallow(test.launch.config) != isShallow(test.repeat->launch.config))
      return "a MAX_RANK of 16 and another one do not give the same bits";
    return ::whyInvalid(test, test.repeat->launch, repeatedMapping(test));
  } catch (const Error &error) {
    return error.what();
  }
}

void lora::differential::lowerAlignments(const Case &test, Launch &launch, size_t tokens) {
  Config most = mostAlignments(test.kernel, shapeOf(test, launch, tokens));
  for (auto &[name, value] : launch.config)
    if (most.contains(name))
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
  auto padded = [](int64_t size, int64_t block) { return (size + block - 1) / block * block; };
  int64_t m = value("BLOCK_M", 16), n = value("BLOCK_N", 16), split = value("SPLIT_K", 1);
  int64_t rank = value("MAX_RANK", padded(test.maxRank, n)), products = 0, interpretedProducts = 0;
  for (int32_t width : test.widths) {
    // Each program of a split evaluates the whole sum when it is interpreted.
    int64_t shrunk = test.kernel == Kernel::Expand ? 0 : test.hidden * rank * value("SPLIT_N", 1);
    int64_t expanded = test.kernel == Kernel::Shrink ? 0 : test.maxRank * padded(width, n);
    products += shrunk + expanded;
    interpretedProducts += shrunk * split + expanded;
  }
  double rows = static_cast<double>(m * blocksOfTokens(mapping, test.ranks.size(), m));
  return compiled + rows * (static_cast<double>(products) * emulated +
                            static_cast<double>(interpretedProducts) * interpreted);
}
