//===- Space.cpp - The configurations of a kernel -------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Tuner/Space.h"

#include "lora/Support/Error.h"
#include "lora/Support/Expression.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

using namespace lora;
using namespace lora::tuner;
using nlohmann::json;

static const char *kBlockM = "BLOCK_M";
static const char *kAddInputs = "ADD_INPUTS";
/// What Operands can provide.
static const std::set<std::string, std::less<>> kKnownArguments = {"x",
                                                                   "a",
                                                                   "b",
                                                                   "s",
                                                                   "y",
                                                                   "token_indices",
                                                                   "row_blocks",
                                                                   "ranks",
                                                                   "scalings",
                                                                   "slice_offsets",
                                                                   "slice_widths",
                                                                   "num_row_blocks",
                                                                   "tokens",
                                                                   "hidden",
                                                                   "max_rank",
                                                                   "max_width",
                                                                   "y_width",
                                                                   "slices",
                                                                   "max_loras",
                                                                   "x_stride",
                                                                   "a_stride",
                                                                   "b_stride",
                                                                   "s_stride",
                                                                   "s_slice_stride",
                                                                   "y_stride"};

static bool hasArgument(const KernelSpace &space, std::string_view name) {
  return std::any_of(space.arguments.begin(), space.arguments.end(),
                     [&](const KernelManifest::Argument &a) { return a.name == name; });
}

static const KernelSpace::Parameter *findParameter(const KernelSpace &space,
                                                   std::string_view name) {
  for (const KernelSpace::Parameter &parameter : space.parameters)
    if (parameter.name == name)
      return &parameter;
  return nullptr;
}

Operation KernelSpace::operation() const {
  for (const KernelManifest::Argument &argument : arguments)
    if (!kKnownArguments.count(argument.name))
      throw Error("kernel '" + kernel + "': argument '" + argument.name +
                  "': the tuner has no value for it");
  if (hasArgument(*this, "row_blocks") && !findParameter(*this, kBlockM))
    throw Error("kernel '" + kernel + "': expected a parameter BLOCK_M, the size of row_blocks");
  bool shrinks = hasArgument(*this, "x") && hasArgument(*this, "a");
  bool expands = hasArgument(*this, "b") && hasArgument(*this, "y");
  bool hasS = hasArgument(*this, "s");
  if (shrinks && expands && !hasS)
    return Operation::ShrinkExpand;
  if (shrinks && hasS && !expands)
    return Operation::Shrink;
  if (expands && hasS && !shrinks)
    return Operation::Expand;
  throw Error("kernel '" + kernel +
              "': expected the arguments x, a, s of a shrink, s, b, y of an expand, or x, a, b, y "
              "of both");
}

std::string KernelSpace::toJson() const {
  json root = {{"kernel", kernel},
               {"file", file},
               {"source", sourceHash},
               {"types", types},
               {"constraints", constraints},
               {"assumptions", assumptions},
               {"grid", grid}};
  for (const Parameter &parameter : parameters)
    root["parameters"].push_back({{"name", parameter.name},
                                  {"default", parameter.defaultValue},
                                  {"candidates", parameter.candidates}});
  for (const KernelManifest::Argument &argument : arguments)
    root["arguments"].push_back({{"name", argument.name}, {"type", argument.type}});
  return root.dump();
}

KernelSpace KernelSpace::fromJson(std::string_view text, const std::string &where) {
  try {
    const json root = json::parse(text);
    KernelSpace space;
    space.kernel = root.at("kernel").get<std::string>();
    space.file = root.at("file").get<std::string>();
    space.sourceHash = root.at("source").get<std::string>();
    space.types = root.at("types").get<std::vector<std::string>>();
    space.constraints = root.at("constraints").get<std::vector<std::string>>();
    space.assumptions = root.at("assumptions").get<std::vector<std::string>>();
    space.grid = root.at("grid").get<std::array<std::string, 3>>();
    for (const json &entry : root.at("parameters"))
      space.parameters.push_back({entry.at("name").get<std::string>(),
                                  entry.at("default").get<int64_t>(),
                                  entry.at("candidates").get<std::vector<int64_t>>()});
    for (const json &entry : root.at("arguments"))
      space.arguments.push_back(
          {entry.at("name").get<std::string>(), entry.at("type").get<std::string>()});
    return space;
  } catch (const json::exception &error) {
    throw Error(where + ": kernel description: " + error.what());
  }
}

/// An assumption that ties one parameter to arguments.
namespace {
struct Tie {
  std::string parameter;
  Expression condition;
};
} // namespace

static std::vector<Tie> ties(const KernelSpace &space) {
  std::vector<Tie> result;
  for (const std::string &text : space.assumptions) {
    Expression condition = Expression::parse(text);
    std::string parameter;
    size_t parameters = 0;
    for (const std::string &name : condition.names())
      if (findParameter(space, name)) {
        parameter = name;
        ++parameters;
      }
    if (parameters == 1 && condition.names().size() > 1)
      result.push_back({parameter, std::move(condition)});
  }
  return result;
}

Config tuner::boundParameters(const KernelSpace &space, const TuneProblem &problem) {
  Arguments arguments = assumedArguments(problem, /*blockM=*/16);
  Config bound;
  std::vector<Tie> all = ties(space);
  for (const KernelSpace::Parameter &parameter : space.parameters) {
    std::vector<const Tie *> own;
    for (const Tie &tie : all)
      if (tie.parameter == parameter.name)
        own.push_back(&tie);
    if (own.empty())
      continue;
    bool divides = std::all_of(own.begin(), own.end(), [](const Tie *tie) {
      return tie->condition.divisibility().has_value();
    });
    std::string broken;
    auto holds = [&](int64_t value) {
      auto lookup = [&](std::string_view name) -> std::optional<int64_t> {
        if (name == parameter.name)
          return value;
        const Arguments::Value *argument = arguments.find(name);
        return argument ? std::optional(argument->integer()) : std::nullopt;
      };
      for (const Tie *tie : own)
        if (tie->condition.evaluate(lookup) == 0) {
          broken = tie->condition.text();
          return false;
        }
      return true;
    };
    std::optional<int64_t> best;
    for (int64_t value : parameter.candidates)
      if (holds(value) && (!best || (divides ? value > *best : value < *best)))
        best = value;
    if (!best)
      throw Error("kernel '" + space.kernel + "': no value of " + parameter.name + " fulfils '" +
                  broken + "' for " + problem.key());
    bound[parameter.name] = *best;
  }
  if (findParameter(space, kAddInputs))
    bound[kAddInputs] = problem.addInputs;
  else if (!problem.addInputs)
    throw Error("kernel '" + space.kernel + "': expected a parameter ADD_INPUTS to overwrite y");
  return bound;
}

std::vector<Config> tuner::enumerate(const KernelSpace &space, const Config &bound) {
  size_t count = space.parameters.size();
  std::vector<std::vector<int64_t>> candidates(count);
  std::map<std::string, size_t, std::less<>> places;
  for (size_t i = 0; i < count; ++i) {
    const KernelSpace::Parameter &parameter = space.parameters[i];
    auto fixed = bound.find(parameter.name);
    candidates[i] = fixed == bound.end() ? parameter.candidates : std::vector{fixed->second};
    places[parameter.name] = i;
  }
  // Each constraint is looked at as soon as the last of its parameters has a value.
  std::vector<std::vector<Expression>> checks(count);
  for (const std::string &text : space.constraints) {
    Expression whole = Expression::parse(text);
    size_t last = 0;
    for (const std::string &name : whole.names())
      last = std::max(last, places.at(name));
    checks[last].push_back(
        whole.resolved([](std::string_view) -> std::optional<int64_t> { return std::nullopt; },
                       [&](std::string_view name) -> std::optional<size_t> {
                         auto place = places.find(name);
                         return place == places.end() ? std::nullopt : std::optional(place->second);
                       }));
  }
  std::vector<Config> configs;
  std::vector<int64_t> values(count, 1);
  auto visit = [&](auto &self, size_t parameter) -> void {
    if (parameter == count) {
      Config config;
      for (size_t i = 0; i < count; ++i)
        config[space.parameters[i].name] = values[i];
      configs.push_back(std::move(config));
      return;
    }
    for (int64_t value : candidates[parameter]) {
      values[parameter] = value;
      bool allowed = std::all_of(
          checks[parameter].begin(), checks[parameter].end(),
          [&](const Expression &check) { return check.evaluate(std::span(values)) != 0; });
      if (allowed)
        self(self, parameter + 1);
    }
  };
  visit(visit, 0);
  return configs;
}

std::string tuner::brokenConstraint(const KernelSpace &space, const Config &config) {
  auto lookup = [&](std::string_view name) -> std::optional<int64_t> {
    auto found = config.find(std::string(name));
    return found == config.end() ? std::nullopt : std::optional(found->second);
  };
  for (const std::string &text : space.constraints)
    if (Expression::parse(text).evaluate(lookup) == 0)
      return text;
  return "";
}

Config tuner::completed(const KernelSpace &space, const Config &config) {
  Config result;
  for (const KernelSpace::Parameter &parameter : space.parameters) {
    auto given = config.find(parameter.name);
    int64_t value = given == config.end() ? parameter.defaultValue : given->second;
    if (std::find(parameter.candidates.begin(), parameter.candidates.end(), value) ==
        parameter.candidates.end())
      throw Error("kernel '" + space.kernel + "': " + parameter.name + ": " +
                  std::to_string(value) + " is not among the candidates");
    result[parameter.name] = value;
  }
  for (const auto &[name, value] : config)
    if (!findParameter(space, name))
      throw Error("kernel '" + space.kernel + "': it has no parameter " + name);
  return result;
}
