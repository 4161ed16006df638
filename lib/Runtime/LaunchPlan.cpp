//===- LaunchPlan.cpp - What a launch of a kernel needs -------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Runtime/LaunchPlan.h"

#include "lora/Support/Error.h"

#include <limits>

using namespace lora;

namespace {

constexpr std::array<int64_t, 3> maxGrid = {2147483647, 65535, 65535};
constexpr std::array<const char *, 3> axisNames = {"x", "y", "z"};
constexpr uint64_t maxBytes = std::numeric_limits<int64_t>::max();

[[noreturn]] void fail(const KernelManifest &manifest, const std::string &what) {
  throw Error("kernel '" + manifest.kernel + "': " + what);
}

/// The value of a name in an expression. The manifest is valid, so every name has one.
Expression::Lookup lookupIn(const KernelManifest &manifest, const Arguments &arguments) {
  return [&](std::string_view name) -> std::optional<int64_t> {
    auto tunable = manifest.config.find(std::string(name));
    if (tunable != manifest.config.end())
      return tunable->second;
    if (const Arguments::Value *value = arguments.find(name))
      return value->integer();
    return std::nullopt;
  };
}

std::string listValues(const Expression &expression, const Expression::Lookup &lookup) {
  std::string list;
  for (const std::string &name : expression.names())
    list += (list.empty() ? "" : ", ") + name + " = " + std::to_string(lookup(name).value());
  return list;
}

int64_t evaluate(const KernelManifest &manifest, const char *what, const Expression &expression,
                 const Expression::Lookup &lookup) {
  try {
    return expression.evaluate(lookup);
  } catch (const Error &error) {
    fail(manifest,
         std::string(what) + ": " + error.what() + " with " + listValues(expression, lookup));
  }
}

std::vector<uint64_t> collectValues(const KernelManifest &manifest,
                                    const std::vector<ArgumentType> &types,
                                    const Arguments &arguments) {
  std::vector<uint64_t> values;
  values.reserve(types.size());
  for (size_t i = 0; i < types.size(); ++i) {
    const std::string &name = manifest.arguments[i].name;
    const Arguments::Value *value = arguments.find(name);
    if (!value)
      fail(manifest, "argument '" + name + "' is missing");
    if (value->type != types[i])
      fail(manifest, "argument '" + name + "': expected " + manifest.arguments[i].type +
                         ", found " + std::string(argumentTypeName(value->type)));
    values.push_back(value->bits);
  }
  return values;
}

unsigned gridSize(const KernelManifest &manifest, size_t axis, const Expression &expression,
                  const Expression::Lookup &lookup) {
  int64_t size = evaluate(manifest, "grid", expression, lookup);
  std::string what = std::string("grid ") + axisNames[axis] + " = '" + expression.text() + "' is " +
                     std::to_string(size);
  if (size < 0 || size > maxGrid[axis])
    fail(manifest, what + ": expected 0 to " + std::to_string(maxGrid[axis]));
  if (size % manifest.cluster[axis] != 0)
    fail(manifest, what + ": expected a multiple of the cluster size " +
                       std::to_string(manifest.cluster[axis]));
  return static_cast<unsigned>(size);
}

void planWorkspace(const KernelManifest &manifest, LaunchPlan &plan) {
  // At most 2^31 * 2^16 * 2^16 = 2^63 blocks.
  uint64_t blocks = uint64_t(plan.grid[0]) * plan.grid[1] * plan.grid[2];
  if (blocks % manifest.splitGroupSize != 0)
    fail(manifest, "grid of " + std::to_string(blocks) +
                       " blocks: expected a multiple of the split group size " +
                       std::to_string(manifest.splitGroupSize));
  uint64_t groups = blocks / manifest.splitGroupSize;
  if (groups > maxBytes / 4 || groups > maxBytes / uint64_t(manifest.workspaceBytesPerGroup))
    fail(manifest, "workspace of " + std::to_string(groups) + " groups of " +
                       std::to_string(manifest.workspaceBytesPerGroup) +
                       " bytes: expected below 2^63 bytes");
  plan.workspaceBytes = groups * manifest.workspaceBytesPerGroup;
  plan.counterBytes = groups * 4;
}

} // namespace

LaunchPlanner::LaunchPlanner(KernelManifest manifest) : kernel(std::move(manifest)) {
  kernel.validate("kernel '" + kernel.kernel + "'");
  for (const KernelManifest::Argument &argument : kernel.arguments)
    types.push_back(parseArgumentType(argument.type).value());
  for (size_t axis = 0; axis < 3; ++axis)
    grid[axis] = Expression::parse(kernel.grid[axis]);
  for (const std::string &text : kernel.assumptions)
    assumptions.push_back(Expression::parse(text));
}

LaunchPlan LaunchPlanner::plan(const Arguments &arguments) const {
  LaunchPlan result;
  result.values = collectValues(kernel, types, arguments);
  Expression::Lookup lookup = lookupIn(kernel, arguments);
  for (const Expression &assumption : assumptions)
    if (!evaluate(kernel, "assumption", assumption, lookup))
      fail(kernel, "assumption '" + assumption.text() + "' does not hold with " +
                       listValues(assumption, lookup));
  for (size_t axis = 0; axis < 3; ++axis)
    result.grid[axis] = gridSize(kernel, axis, grid[axis], lookup);
  if (kernel.hasWorkspace())
    planWorkspace(kernel, result);
  return result;
}

LaunchPlan lora::planLaunch(const KernelManifest &manifest, const Arguments &arguments) {
  return LaunchPlanner(manifest).plan(arguments);
}
