//===- AdapterStack.cpp - Adapters side by side in one launch -------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Run/AdapterStack.h"

#include "lora/Support/Error.h"

using namespace lora;

/// Throws Error if the modules of one adapter cannot be slices of one launch.
static void checkSlice(const Adapter &adapter, const AdapterModule &module,
                       const AdapterModule &first) {
  auto check = [&](const char *field, auto found, auto expected, const char *why) {
    if (found != expected)
      throw Error(adapter.directory().string() + ": module '" + module.name + "': found " + field +
                  " " + std::to_string(found) + ", expected " + std::to_string(expected) +
                  " as for '" + first.name + "': " + why);
  };
  check("in features", module.inFeatures, first.inFeatures, "modules of one launch share x");
  const char *share = "modules of one launch share the adapter's rank and scaling";
  check("rank", module.rank, first.rank, share);
  check("scaling", module.scaling, first.scaling, share);
}

AdapterStack AdapterStack::select(std::span<const Adapter> adapters,
                                  std::span<const std::string> suffixes,
                                  std::optional<int64_t> layer) {
  if (adapters.empty() || suffixes.empty())
    throw Error("expected at least one adapter and one module");
  AdapterStack stack;
  for (const std::string &suffix : suffixes) {
    std::optional<int64_t> where = layer;
    if (!layer && adapters.front().find(suffix, 0))
      where = 0;
    std::vector<const AdapterModule *> slice = compatibleModules(adapters, suffix, where);
    stack.sliceWidths.push_back(static_cast<int32_t>(slice.front()->outFeatures));
    stack.modules.insert(stack.modules.end(), slice.begin(), slice.end());
    for (size_t i = 0; i < adapters.size(); ++i)
      checkSlice(adapters[i], *slice[i], *stack.modules[i]);
  }
  stack.hidden = stack.modules.front()->inFeatures;
  for (const AdapterModule *module : std::span(stack.modules).first(adapters.size())) {
    stack.ranks.push_back(static_cast<int32_t>(module->rank));
    stack.scalings.push_back(static_cast<float>(module->scaling));
  }
  return stack;
}

std::optional<DType> AdapterStack::commonType() const {
  std::optional<DType> type = modules.front()->a.type;
  for (const AdapterModule *module : modules)
    if (module->a.type != type || module->b.type != type)
      return std::nullopt;
  return type;
}

void AdapterStack::fill(LoraProblem &problem) const {
  bool isShrink = problem.op() == LoraOp::Shrink;
  for (size_t i = 0; i < modules.size(); ++i) {
    const StoredTensor &tensor = isShrink ? modules[i]->a : modules[i]->b;
    problem.setWeights(static_cast<int32_t>(i / ranks.size()),
                       static_cast<int32_t>(i % ranks.size()),
                       problem.shape().wType == DType::F16 ? tensor.toHalf() : tensor.toBFloat());
  }
  if (isShrink)
    problem.setScalings(scalings);
}
