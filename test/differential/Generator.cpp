//===- Generator.cpp - Random cases ----------------------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Generator.h"

#include "ParameterSpace.h"
#include "Random.h"
#include "Workload.h"
#include "lora/Dispatch/ShrinkExpandConfig.h"
#include "lora/Support/Error.h"
#include "lora/Target/TargetFacts.h"

#include <algorithm>

using namespace lora;
using namespace lora::differential;

/// Bounds the work of one case.
static constexpr double kMostSeconds = 1.5;

static int64_t randomTokens(Random &random) {
  return random.between(1, random.pick({1, 4, 8, 8, 20, 32, 80}));
}

static int64_t randomHidden(Random &random) {
  if (random.chance(30))
    return random.pick({1, 16, 64, 127, 128, 129, 256, 384, 512, 1024, 2049, 4096});
  int64_t any = random.between(1, random.pick({200, 600, 1500}));
  return random.chance(60) ? (any + 7) / 8 * 8 : any;
}

static int32_t randomRank(Random &random) {
  if (random.chance(5))
    return static_cast<int32_t>(random.between(65, 256));
  if (random.chance(55))
    return random.pick({1, 2, 4, 8, 8, 16, 16, 32, 64});
  return static_cast<int32_t>(random.between(1, 64));
}

static std::vector<int32_t> randomRanks(Random &random, Kernel kernel) {
  bool same = random.chance(30);
  // shrink_expand keeps a whole row of s in registers.
  int32_t most = kernel == Kernel::ShrinkExpand ? 64 : 256;
  int32_t rank = std::min(most, randomRank(random));
  std::vector<int32_t> ranks(static_cast<size_t>(random.between(1, random.pick({1, 3, 8}))));
  for (int32_t &value : ranks)
    value = random.chance(15) ? 0 : same ? rank : std::min(most, randomRank(random));
  return ranks;
}

static std::vector<int32_t> randomWidths(Random &random, Kernel kernel) {
  std::vector<int32_t> widths(static_cast<size_t>(random.pick({1, 1, 2, 3})), 1);
  if (kernel == Kernel::Shrink)
    return widths;
  for (int32_t &width : widths) {
    width = static_cast<int32_t>(random.between(1, random.pick({40, 300, 600})));
    if (random.chance(60))
      width = (width + 7) / 8 * 8;
    else if (random.chance(30))
      width = random.pick({1, 32, 64, 128, 256, 512});
  }
  return widths;
}

/// A slot of an adapter, or -1.
static int32_t randomAdapter(Random &random, const Case &test, int percentWithout) {
  if (random.chance(percentWithout))
    return -1;
  return static_cast<int32_t>(random.between(0, static_cast<int64_t>(test.ranks.size()) - 1));
}

static std::vector<int32_t> randomMapping(Random &random, const Case &test) {
  std::vector<int32_t> mapping(static_cast<size_t>(randomTokens(random)));
  int percentWithout = random.pick({0, 0, 10, 50});
  if (random.chance(4))
    percentWithout = 100;
  int32_t only = randomAdapter(random, test, 0);
  bool single = random.chance(20);
  for (int32_t &adapter : mapping)
    adapter = single && !random.chance(percentWithout)
                  ? only
                  : randomAdapter(random, test, percentWithout);
  if (random.chance(30))
    std::ranges::sort(mapping);
  return mapping;
}

/// Gaps that are often such that strides are well aligned, and often none.
static void randomGaps(Random &random, const Case &test, Launch &launch) {
  int64_t unit = random.pick({1, 2, 4, 8, 8, 8});
  bool dense = random.chance(30);
  auto gap = [&](int64_t size) {
    int64_t toUnit = (unit - size % unit) % unit;
    return dense && toUnit == 0 ? 0 : toUnit + unit * random.pick({0, 0, 1, 5});
  };
  launch.sGap = gap(test.maxRank);
  launch.sSliceGap = gap(0);
  if (test.kernel != Kernel::Expand) {
    launch.xGap = gap(test.hidden);
    launch.aGap = gap(test.hidden);
  }
  if (test.kernel == Kernel::Shrink)
    return;
  launch.bGap = gap(test.maxRank);
  launch.yHead = static_cast<int32_t>(gap(0));
  launch.yTail = static_cast<int32_t>(gap(0));
  int64_t columns = launch.yHead + launch.yTail;
  for (int32_t width : test.widths)
    columns += width;
  launch.yGap = gap(columns);
}

/// A value for each parameter, often its default, since some of them go together.
static Config randomValues(Random &random, const ParameterSpace &space) {
  Config config;
  for (const ParameterSpace::Parameter &parameter : space.parameters()) {
    if (isAlignment(parameter.name) && random.chance(60))
      config[parameter.name] = *std::ranges::max_element(parameter.candidates);
    else
      config[parameter.name] =
          random.chance(15) ? parameter.defaultValue : random.pick(parameter.candidates);
  }
  return config;
}

/// What the runtime would choose.
static Config dispatched(Kernel kernel, const LoraShape &shape) {
  if (kernel == Kernel::ShrinkExpand)
    return shrinkExpandConfig(shape).value_or(Config());
  return defaultConfig(kernel == Kernel::Shrink ? LoraOp::Shrink : LoraOp::Expand, shape);
}

/// Fills the configuration; returns false if none that is cheap enough was found.
static bool randomConfig(Random &random, const Case &test, const std::vector<int32_t> &mapping,
                         Launch &launch) {
  const ParameterSpace &space = ParameterSpace::of(test.kernel);
  LoraShape shape = shapeOf(test, launch, mapping.size());
  Workload workload(test, launch, mapping);
  Arguments arguments = workload.arguments(16);
  bool asDispatched = random.chance(15);
  for (int attempt = 0; attempt < 5000; ++attempt) {
    launch.config = randomValues(random, space);
    if (asDispatched && attempt == 0)
      for (const auto &[name, value] : dispatched(test.kernel, shape))
        launch.config[name] = value;
    if (launch.config.contains("ADD_INPUTS"))
      launch.config["ADD_INPUTS"] = test.addInputs;
    lowerAlignments(test, launch, mapping.size());
    if (test.kernel == Kernel::ShrinkExpand &&
        launch.config["SPLIT_K"] > findTarget(launch.target).clusterBlocks)
      launch.config["SPLIT_K"] = 1;
    if (space.brokenBy(launch.config, arguments).empty() &&
        estimatedSeconds(test, launch, mapping) <= kMostSeconds)
      return true;
  }
  return false;
}

static void randomLaunch(Random &random, const Case &test, const std::vector<std::string> &targets,
                         Launch &launch) {
  launch.target = random.pick(targets);
  launch.order = static_cast<uint64_t>(random.between(0, 999));
  randomGaps(random, test, launch);
}

/// Another launch, of which whyInvalid has to say whether its bits can be compared.
static bool randomRepeat(Random &random, const std::vector<std::string> &targets, Case &test) {
  test.repeat.emplace();
  Repeat &repeat = *test.repeat;
  if (random.chance(70)) {
    repeat.extra.resize(static_cast<size_t>(randomTokens(random)));
    for (int32_t &adapter : repeat.extra)
      adapter = randomAdapter(random, test, 10);
  }
  if (random.chance(80))
    repeat.shuffle = static_cast<uint64_t>(random.between(1, 999));
  repeat.separate = test.kernel == Kernel::ShrinkExpand && random.chance(40);
  repeat.launch = test.launch;
  randomLaunch(random, test, targets, repeat.launch);
  return randomConfig(random, test, repeatedMapping(test), repeat.launch);
}

static Case randomCandidate(Random &random, const std::vector<std::string> &targets) {
  Case test;
  test.kernel = random.pick({Kernel::Shrink, Kernel::Expand, Kernel::ShrinkExpand});
  test.xType = random.pick({DType::F16, DType::BF16});
  test.wType = random.chance(75) ? test.xType : random.pick({DType::F16, DType::BF16});
  if (test.kernel != Kernel::Expand)
    test.hidden = randomHidden(random);
  test.ranks = randomRanks(random, test.kernel);
  test.maxRank = std::max(1, *std::ranges::max_element(test.ranks));
  if (random.chance(15))
    test.maxRank += static_cast<int32_t>(random.between(1, 20));
  test.widths = randomWidths(random, test.kernel);
  test.addInputs = test.kernel != Kernel::Expand || random.chance(70);
  test.mapping = randomMapping(random, test);
  test.data = static_cast<uint64_t>(random.between(0, 999));
  randomLaunch(random, test, targets, test.launch);
  return test;
}

Case lora::differential::randomCase(uint64_t seed, uint64_t index,
                                    const std::vector<std::string> &targets) {
  Random random(Random(seed + 0x632be59bd9b4e019u * index).bits());
  for (int attempt = 0; attempt < 1000; ++attempt) {
    Case test = randomCandidate(random, targets);
    if (!randomConfig(random, test, test.mapping, test.launch))
      continue;
    if (random.chance(50) && !randomRepeat(random, targets, test))
      test.repeat.reset();
    // Only the second launch can be incomparable.
    if (!whyInvalid(test).empty())
      test.repeat.reset();
    if (whyInvalid(test).empty())
      return test;
  }
  throw Error("seed " + std::to_string(seed) + ", case " + std::to_string(index) +
              ": no valid case was found");
}
