//===- Candidates.cpp - The candidates of a problem -----------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Dispatch/DefaultConfig.h"
#include "lora/Dispatch/ShrinkExpandConfig.h"
#include "lora/Support/Error.h"
#include "lora/Tuner/Tuner.h"

#include <algorithm>
#include <numeric>

using namespace lora;
using namespace lora::tuner;

std::optional<Config> tuner::defaultParameters(const TuneProblem &problem) {
  LoraShape shape = problem.shape();
  switch (problem.operation) {
  case Operation::Shrink:
    return defaultConfig(LoraOp::Shrink, shape);
  case Operation::Expand:
    return defaultConfig(LoraOp::Expand, shape);
  default:
    return shrinkExpandConfig(shape);
  }
}

std::optional<Config> tuner::defaultConfigFor(const KernelSpace &space,
                                              const TuneProblem &problem) {
  if (!space.file.empty())
    return std::nullopt;
  std::optional<Config> config = defaultParameters(problem);
  return config ? std::optional(completed(space, *config)) : std::nullopt;
}

void Candidates::keepOnly(const std::string &artefact) {
  Candidates kept;
  for (size_t i = 0; i < kernels.size(); ++i) {
    if (!kernels[i]->artefact.starts_with(artefact))
      continue;
    if (byDefault == i)
      kept.byDefault = kept.kernels.size();
    kept.kernels.push_back(kernels[i]);
    kept.estimates.push_back(estimates[i]);
  }
  *this = std::move(kept);
}

std::string Candidates::hash(const MeasureOptions &options) const {
  std::string text = std::to_string(options.seed);
  for (const BundleKernel *kernel : kernels)
    text += " " + kernel->artefact;
  return hashText(text).substr(0, 16);
}

Candidates tuner::candidatesFor(const Bundle &bundle, const BundleProblem &entry,
                                const GpuFacts &facts, size_t most) {
  const KernelSpace &space = bundle.spaces[entry.space];
  Config bound = boundParameters(space, entry.problem);
  std::string types = typesOf(space, entry.problem);
  std::optional<Config> byDefault = defaultConfigFor(space, entry.problem);
  CostModel model(entry.problem, facts);

  std::vector<std::pair<double, const BundleKernel *>> fitting;
  const BundleKernel *defaultKernel = nullptr;
  for (const BundleKernel &kernel : bundle.kernels) {
    if (kernel.space != entry.space || kernel.types != types)
      continue;
    const Config &config = kernel.manifest.config;
    if (byDefault && config == *byDefault)
      defaultKernel = &kernel;
    bool fits = std::all_of(bound.begin(), bound.end(), [&](const auto &parameter) {
      return config.at(parameter.first) == parameter.second;
    });
    Tiling tiling = Tiling::of(config);
    if (&kernel == defaultKernel || (fits && !model.uselessReason(tiling)))
      fitting.emplace_back(model.estimate(tiling), &kernel);
  }
  std::sort(fitting.begin(), fitting.end(), [](const auto &a, const auto &b) {
    return std::tie(a.first, a.second->artefact) < std::tie(b.first, b.second->artefact);
  });
  Candidates result;
  for (auto [estimate, kernel] : fitting) {
    if (result.kernels.size() >= most && kernel != defaultKernel)
      continue;
    if (kernel == defaultKernel)
      result.byDefault = result.kernels.size();
    result.kernels.push_back(kernel);
    result.estimates.push_back(estimate);
  }
  return result;
}
