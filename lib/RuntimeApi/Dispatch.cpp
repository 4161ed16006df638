//===- Dispatch.cpp - From the sizes of a launch to a kernel ------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Dispatch.h"

#include <charconv>
#include <map>
#include <set>

using namespace lora;
using namespace lora::api;

namespace {

constexpr const char *kOps[] = {"shrink", "expand", "shrink_expand"};
constexpr const char *kMapTokens = "map_tokens";

/// The compute capability in a name like "sm_90a", and whether the code is for that one alone.
struct TargetName {
  int capability = 0;
  bool exact = false;
};

TargetName parseTarget(const std::string &name) {
  TargetName target;
  if (!name.starts_with("sm_"))
    return target;
  const char *end = name.data() + name.size();
  auto [rest, status] = std::from_chars(name.data() + 3, end, target.capability);
  if (status != std::errc())
    return {};
  target.exact = rest != end;
  return target;
}

/// How well code suits a device: 0 not at all, otherwise the higher, the better.
int suitability(const PackKernel &kernel, const Session &session) {
  constexpr int machineCode = 1000;
  const int capability = session.capability;
  if (kernel.kind == CodeKind::Emulator || capability == 0)
    return kernel.kind == CodeKind::Emulator && capability == 0;
  // GPUs that run the same PTX differ in this.
  if (int64_t(kernel.manifest.sharedBytes) > session.maxSharedBytes)
    return 0;
  TargetName target = parseTarget(kernel.manifest.target);
  if (target.capability == capability)
    return (kernel.kind == CodeKind::Cubin ? machineCode : 0) + target.capability;
  if (target.exact || target.capability == 0 || target.capability > capability)
    return 0;
  if (kernel.kind == CodeKind::Ptx)
    return target.capability;
  // Machine code runs on later devices of its own generation.
  return target.capability / 10 == capability / 10 ? machineCode + target.capability : 0;
}

std::optional<lora_op> parseOp(const std::string &name) {
  for (lora_op op = LORA_SHRINK; op <= LORA_SHRINK_EXPAND; ++op)
    if (name == kOps[op])
      return op;
  return std::nullopt;
}

lora_dtype typeOf(const Kernel &kernel, const char *parameter) {
  auto found = kernel.manifest().types.find(parameter);
  if (found != kernel.manifest().types.end() && found->second == "f16")
    return LORA_F16;
  if (found != kernel.manifest().types.end() && found->second == "bf16")
    return LORA_BF16;
  throw Error("kernel '" + kernel.entry().id + "': expected f16 or bf16 as type " + parameter);
}

DispatchRule makeRule(const PackRule &rule, size_t number, Kernel &kernel,
                      const std::string &packName) {
  lora_op op = parseOp(kernel.manifest().kernel).value();
  DispatchRule result = {};
  result.op = op;
  result.xType = typeOf(kernel, op == LORA_EXPAND ? "Y" : "X");
  result.wType = typeOf(kernel, "W");
  result.addInputs = op == LORA_EXPAND          ? static_cast<int>(kernel.config("ADD_INPUTS", -1))
                     : op == LORA_SHRINK_EXPAND ? 1
                                                : -1;
  result.tokens = rule.tokens;
  result.hidden = rule.hidden;
  result.rank = rule.rank;
  result.adapters = rule.adapters;
  result.slices = rule.slices;
  result.rank.high = std::min(result.rank.high, kernel.config("MAX_RANK", result.rank.high));
  result.hiddenAlign = kernel.config("ALIGN", 1);
  result.rankAlign = kernel.config("RANK_ALIGN", 1);
  result.yAlign = kernel.config("Y_ALIGN", 1);
  result.kernel = &kernel;
  result.twoLaunches = rule.twoLaunches;
  result.number = number;
  result.pack = &packName;
  return result;
}

std::string listTargets(const PackIndex &index) {
  std::set<std::string> targets;
  for (const PackKernel &kernel : index.kernels)
    targets.insert(kernel.manifest.target + " (" + std::string(codeKindName(kernel.kind)) + ")");
  std::string list;
  for (const std::string &target : targets)
    list += (list.empty() ? "" : ", ") + target;
  return list.empty() ? "nothing" : list;
}

std::string rangeText(const PackRange &range) {
  return std::to_string(range.low) + " to " +
         (range.high == PackRange().high ? "any" : std::to_string(range.high));
}

std::string configText(const KernelManifest &manifest) {
  std::string text;
  for (const auto &[name, value] : manifest.config)
    text += (text.empty() ? "" : " ") + name + "=" + std::to_string(value);
  return text;
}

} // namespace

const char *api::opText(lora_op op) { return kOps[op]; }

std::string DispatchRule::mismatch(const LaunchFacts &facts) const {
  auto range = [](const char *what, int64_t value, const PackRange &expected) {
    return std::string(what) + " = " + std::to_string(value) + ": expected " + rangeText(expected);
  };
  auto multiple = [](const char *what, int64_t value, int64_t expected) {
    return std::string(what) + " are multiples of " + std::to_string(value) +
           " elements: expected multiples of " + std::to_string(expected);
  };
  if (addInputs >= 0 && addInputs != int(facts.addInputs))
    return "add_inputs: expected " + std::to_string(addInputs);
  if (!tokens.contains(facts.tokens))
    return range("tokens", facts.tokens, tokens);
  if (!hidden.contains(facts.hidden))
    return range("hidden", facts.hidden, hidden);
  if (!rank.contains(facts.rank))
    return range("max_rank", facts.rank, rank);
  if (!adapters.contains(facts.adapters))
    return range("adapters in use", facts.adapters, adapters);
  if (!slices.contains(facts.slices))
    return range("slices", facts.slices, slices);
  if (hiddenAlign > facts.hiddenAlign)
    return multiple("x, A, hidden and their strides", facts.hiddenAlign, hiddenAlign);
  if (rankAlign > facts.rankAlign)
    return multiple("s, B, ranks and their strides", facts.rankAlign, rankAlign);
  return multiple("y, its columns and its stride", facts.yAlign, yAlign);
}

LoadedPack::LoadedPack(const Session &session, Pack opened) : pack(std::move(opened)) {
  const PackIndex &index = pack.index();
  std::map<std::string, const PackKernel *> best;
  for (const PackKernel &kernel : index.kernels) {
    int score = suitability(kernel, session);
    if (score == 0)
      continue;
    auto [place, isNew] = best.emplace(kernel.id, &kernel);
    if (!isNew && suitability(*place->second, session) < score)
      place->second = &kernel;
  }
  if (best.empty())
    throw StatusError(LORA_ERROR_BAD_PACK, "pack '" + pack.name() + "': no kernel for " +
                                               session.target + ": it has " + listTargets(index));
  try {
    std::map<std::string, Kernel *> byId;
    for (const auto &[id, entry] : best) {
      kernels.push_back(std::make_unique<Kernel>(session, pack, *entry));
      const std::string &op = entry->manifest.kernel;
      if (op == kMapTokens)
        mapTokens = kernels.back().get();
      else if (!parseOp(op))
        throw Error("kernel '" + id +
                    "': expected shrink, expand, shrink_expand or map_tokens, "
                    "found '" +
                    op + "'");
      byId[id] = kernels.back().get();
    }
    for (size_t i = 0; i < index.rules.size(); ++i) {
      auto found = byId.find(index.rules[i].kernel);
      if (found != byId.end() && found->second != mapTokens)
        rules.push_back(makeRule(index.rules[i], i, *found->second, pack.name()));
    }
  } catch (const Error &error) {
    throw StatusError(LORA_ERROR_BAD_PACK, "pack '" + pack.name() + "': " + error.what());
  }
}

DispatchTable::DispatchTable(std::vector<DispatchRule> rules, Kernel *mapTokens)
    : rules(std::move(rules)), mapKernel(mapTokens) {
  for (const DispatchRule &rule : this->rules)
    kinds[kindOf(rule.op, rule.xType, rule.wType)].push_back(rule);
}

std::string api::explainDispatch(const DispatchTable &table, const LaunchFacts &facts) {
  std::string text;
  for (const DispatchRule &rule : table.all()) {
    if (rule.op != facts.op || rule.xType != facts.xType || rule.wType != facts.wType)
      continue;
    const PackKernel &entry = rule.kernel->entry();
    std::string name =
        "rule " + std::to_string(rule.number) + " of '" + *rule.pack + "', kernel " + entry.id;
    if (!rule.matches(facts)) {
      text += "passed over " + name + ": " + rule.mismatch(facts) + "\n";
      continue;
    }
    if (rule.twoLaunches)
      return text + opText(facts.op) + " takes two launches by rule " +
             std::to_string(rule.number) + " of '" + *rule.pack + "'\n";
    return text + opText(facts.op) + " uses " + name + " (" +
           std::string(codeKindName(entry.kind)) + " for " + entry.manifest.target + "): tokens " +
           rangeText(rule.tokens) + ", hidden " + rangeText(rule.hidden) + ", rank " +
           rangeText(rule.rank) + ": " + configText(entry.manifest) + "\n";
  }
  return text + "no kernel for " + opText(facts.op) + " of these types and sizes\n";
}
