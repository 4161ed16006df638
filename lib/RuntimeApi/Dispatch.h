//===- Dispatch.h - From the sizes of a launch to a kernel --------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "Kernel.h"

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace lora::api {

/// What dispatch looks at.
struct LaunchFacts {
  lora_op op = LORA_SHRINK;
  /// Of x and y, and of the weights.
  lora_dtype xType = LORA_F16, wType = LORA_F16;
  bool addInputs = true;
  int64_t tokens = 0, hidden = 0, rank = 0;
  /// Adapters that may be in use at a time, at most as many as tokens.
  int64_t adapters = 1, slices = 1;
  /// The largest powers of two, in elements, that the addresses, strides and sizes along hidden,
  /// along the rank and along the columns of y are multiples of.
  int64_t hiddenAlign = 1, rankAlign = 1, yAlign = 1;
};

/// "shrink", "expand" or "shrink_expand".
const char *opText(lora_op op);

/// A rule of a pack, with what its kernel needs.
struct DispatchRule {
  lora_op op;
  lora_dtype xType, wType;
  /// -1 for either.
  int addInputs;
  PackRange tokens, hidden, rank, adapters, slices;
  int64_t hiddenAlign, rankAlign, yAlign;
  Kernel *kernel;
  /// Of a shrink_expand: that shrink and expand take its place.
  bool twoLaunches;
  /// For lora_explain.
  size_t number;
  const std::string *pack;

  bool matches(const LaunchFacts &facts) const {
    return op == facts.op && xType == facts.xType && wType == facts.wType &&
           (addInputs < 0 || addInputs == int(facts.addInputs)) && tokens.contains(facts.tokens) &&
           hidden.contains(facts.hidden) && rank.contains(facts.rank) &&
           adapters.contains(facts.adapters) && slices.contains(facts.slices) &&
           hiddenAlign <= facts.hiddenAlign && rankAlign <= facts.rankAlign &&
           yAlign <= facts.yAlign;
  }

  /// The first condition that does not hold: "tokens = 512: expected 1 to 256".
  std::string mismatch(const LaunchFacts &facts) const;
};

/// A pack whose kernels were chosen for a session.
struct LoadedPack {
  /// Throws StatusError if the pack has nothing for the target of the session.
  LoadedPack(const Session &session, Pack pack);

  Pack pack;
  std::vector<std::unique_ptr<Kernel>> kernels;
  std::vector<DispatchRule> rules;
  /// Builds a mapping on the device; may be null.
  Kernel *mapTokens = nullptr;
};

/// The rules of all packs in the order in which they are tried. Does not change.
class DispatchTable {
public:
  DispatchTable() = default;
  DispatchTable(std::vector<DispatchRule> rules, Kernel *mapTokens);

  /// All of them.
  const std::vector<DispatchRule> &all() const { return rules; }
  Kernel *mapTokens() const { return mapKernel; }

  /// The first rule that matches, or null.
  const DispatchRule *find(const LaunchFacts &facts) const {
    for (const DispatchRule &rule : kinds[kindOf(facts.op, facts.xType, facts.wType)])
      if (rule.matches(facts))
        return &rule;
    return nullptr;
  }

private:
  static size_t kindOf(lora_op op, lora_dtype x, lora_dtype w) {
    return size_t(op) * 4 + (x == LORA_BF16) * 2 + (w == LORA_BF16);
  }

  std::vector<DispatchRule> rules;
  Kernel *mapKernel = nullptr;
  /// Those of each op and types: a launch looks at no others.
  std::array<std::vector<DispatchRule>, (LORA_SHRINK_EXPAND + 1) * 4> kinds;
};

/// One line for each rule of the op and types up to the one that matches.
std::string explainDispatch(const DispatchTable &table, const LaunchFacts &facts);

} // namespace lora::api
