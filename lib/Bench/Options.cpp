//===- Options.cpp - The cases that a user asks for -----------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Bench/Options.h"

#include "lora/Bench/AdapterFacts.h"
#include "lora/Models/Model.h"
#include "lora/Support/Error.h"

#include <algorithm>
#include <array>
#include <map>

using namespace lora;

namespace {

/// What an op demands of the mapping: nothing, one token a request in any order, or tokens grouped
/// by adapter.
enum class MappingKind { Any, OneToken, Grouped };

/// A *_slice expands into the second half of rows twice as wide.
struct OpType {
  const char *name;
  BenchOp op;
  MappingKind mapping;
  bool hasOffset;
};

constexpr std::array<OpType, 9> opTypes = {{
    {"lora_shrink", BenchOp::Shrink, MappingKind::Any, false},
    {"lora_expand", BenchOp::Expand, MappingKind::Any, false},
    {"lora_shrink_expand", BenchOp::Pair, MappingKind::Any, false},
    {"bgmv_shrink", BenchOp::Shrink, MappingKind::OneToken, false},
    {"bgmv_expand", BenchOp::Expand, MappingKind::OneToken, false},
    {"bgmv_expand_slice", BenchOp::Expand, MappingKind::OneToken, true},
    {"sgmv_shrink", BenchOp::Shrink, MappingKind::Grouped, false},
    {"sgmv_expand", BenchOp::Expand, MappingKind::Grouped, false},
    {"sgmv_expand_slice", BenchOp::Expand, MappingKind::Grouped, true},
}};

/// Ops that share their cases.
struct OpGroup {
  MappingKind mapping;
  bool hasOffset;
  std::vector<BenchOp> ops;
};

struct Layer {
  std::string label;
  int64_t hidden;
  std::vector<int64_t> widths;
};

void addOp(std::vector<BenchOp> &ops, BenchOp op) {
  auto place = std::lower_bound(ops.begin(), ops.end(), op);
  if (place == ops.end() || *place != op)
    ops.insert(place, op);
}

std::vector<OpGroup> groupOps(const std::vector<std::string> &names) {
  std::vector<OpGroup> groups;
  for (const std::string &name : names) {
    auto type = std::find_if(opTypes.begin(), opTypes.end(),
                             [&](const OpType &type) { return type.name == name; });
    if (type == opTypes.end()) {
      std::string list;
      for (const OpType &known : opTypes)
        list += std::string(list.empty() ? "" : ", ") + known.name;
      throw Error("--op-types: found '" + name + "', expected one of " + list);
    }
    auto group = std::find_if(groups.begin(), groups.end(), [&](const OpGroup &group) {
      return group.mapping == type->mapping && group.hasOffset == type->hasOffset;
    });
    if (group == groups.end())
      group = groups.insert(group, {type->mapping, type->hasOffset, {}});
    addOp(group->ops, type->op);
  }
  return groups;
}

std::vector<int64_t> expandSteps(const char *option, const BenchSteps &steps) {
  if (steps.increment < 1 || steps.end < steps.start)
    throw Error(std::string(option) + "-start " + std::to_string(steps.start) + " -end " +
                std::to_string(steps.end) + " -increment " + std::to_string(steps.increment) +
                ": expected an increment of at least 1, and an end that is not below the start");
  std::vector<int64_t> values;
  for (int64_t value = steps.start; value <= steps.end; value += steps.increment)
    values.push_back(value);
  return values;
}

std::vector<Layer> layersOfModels(const BenchOptions &options,
                                  const std::vector<std::string> *projections) {
  std::vector<Layer> layers;
  for (const std::string &name : options.models) {
    Model model = findModel(name);
    for (int64_t tp : options.tpSizes) {
      std::string prefix = model.shortName() + (tp > 1 ? " tp" + std::to_string(tp) : "") + " ";
      for (Projection &projection : model.projections(tp))
        if (!projections || std::find(projections->begin(), projections->end(), projection.name) !=
                                projections->end())
          layers.push_back(
              {prefix + projection.name, projection.hidden, std::move(projection.widths)});
    }
  }
  return layers;
}

std::vector<Layer> layersOfSizes(const std::vector<int64_t> &slices,
                                 const std::vector<int64_t> &sizes) {
  std::vector<Layer> layers;
  for (int64_t count : slices)
    for (int64_t size : sizes)
      layers.push_back({"", size, std::vector<int64_t>(static_cast<size_t>(count), size)});
  return layers;
}

/// Collects cases, each once, with the ops of all that are the same.
class Cases {
public:
  void add(BenchCase added) {
    added.check();
    auto [place, isNew] = places.emplace(added.key(), all.size());
    if (isNew)
      all.push_back(std::move(added));
    else
      for (BenchOp op : added.ops)
        addOp(all[place->second].ops, op);
  }

  std::vector<BenchCase> all;

private:
  std::map<std::string, size_t> places;
};

/// Adds the batches of a layer, whose shape `one` has.
void addBatches(Cases &cases, const OpGroup &group, BenchCase one, const BenchOptions &options) {
  std::vector<int> sorts = options.sortByLoraId;
  if (group.mapping != MappingKind::Any)
    sorts = {group.mapping == MappingKind::Grouped};
  one.ops = group.ops;
  one.offset = group.hasOffset ? one.sumOfWidths() : 0;
  for (int64_t seqLength : options.seqLengths)
    for (int64_t batch : options.batchSizes)
      for (int sort : sorts)
        for (int addInputs : options.expandFnAddInputs) {
          one.seqLength = seqLength;
          one.batch = batch;
          one.sort = sort;
          one.addInputs = addInputs;
          cases.add(one);
        }
}

} // namespace

std::vector<std::string> lora::benchOpTypes() {
  std::vector<std::string> names;
  for (const OpType &type : opTypes)
    names.push_back(type.name);
  return names;
}

std::vector<BenchCase> lora::makeCases(const BenchOptions &options) {
  std::vector<int64_t> ranks = options.loraRanks;
  std::vector<Layer> layers;
  if (options.mode == BenchMode::Model && !options.adapter.empty()) {
    AdapterFacts facts = readAdapterFacts(options.adapter);
    ranks = {facts.rank};
    layers = layersOfModels(options, &facts.projections);
  } else if (options.mode == BenchMode::Model) {
    layers = layersOfModels(options, nullptr);
  } else if (options.mode == BenchMode::Range) {
    ranks = expandSteps("--lora-ranks", options.rankSteps);
    layers = layersOfSizes(options.numSlices, expandSteps("--hidden-sizes", options.hiddenSteps));
  } else {
    layers = layersOfSizes(options.numSlices, options.hiddenSizes);
  }

  Cases cases;
  for (const OpGroup &group : groupOps(options.opTypes)) {
    bool isOneToken = std::all_of(options.seqLengths.begin(), options.seqLengths.end(),
                                  [](int64_t length) { return length == 1; });
    if (group.mapping == MappingKind::OneToken && !isOneToken)
      throw Error("--op-types: bgmv_* has one token a request, expected --seq-lengths 1");
    for (const Layer &layer : layers)
      for (int64_t loras : options.numLoras)
        for (int64_t rank : ranks) {
          BenchCase one;
          one.label = layer.label;
          one.hidden = layer.hidden;
          one.widths = layer.widths;
          one.rank = rank;
          one.numLoras = loras;
          one.active = options.numActiveLoras ? options.numActiveLoras : loras;
          one.dtype = parseDType(options.dtype);
          one.noLoraFraction = options.noLoraFraction;
          addBatches(cases, group, one, options);
        }
  }
  return cases.all;
}
