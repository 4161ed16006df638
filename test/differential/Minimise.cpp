//===- Minimise.cpp - Smaller cases that still fail ------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Minimise.h"

#include "ParameterSpace.h"

#include <algorithm>

using namespace lora;
using namespace lora::differential;

namespace {

/// Collects the cases that are one step smaller than another one.
class Steps {
public:
  explicit Steps(const Case &from) : from(from) {}

  std::vector<Case> all();

private:
  /// Adds a copy that `change` has been applied to.
  template <typename Change> void add(Change change) {
    Case smaller = from;
    change(smaller);
    smaller.maxRank = std::max({1, smaller.maxRank, *std::ranges::max_element(smaller.ranks)});
    lowerAlignments(smaller, smaller.launch, smaller.mapping.size());
    if (smaller.repeat)
      lowerAlignments(smaller, smaller.repeat->launch,
                      smaller.mapping.size() + smaller.repeat->extra.size());
    if (smaller != from)
      found.push_back(smaller);
  }

  void shortenRepeat();
  void shortenMapping();
  void dropAdapters();
  void shrinkSizes();
  void simplifyLaunch();

  const Case &from;
  std::vector<Case> found;
};

/// Removes the elements from `first` to before `last`.
template <typename T> void cut(std::vector<T> &values, size_t first, size_t last) {
  values.erase(values.begin() + static_cast<ptrdiff_t>(first),
               values.begin() + static_cast<ptrdiff_t>(std::min(last, values.size())));
}

void removeAdapter(std::vector<int32_t> &mapping, int32_t adapter) {
  for (int32_t &value : mapping)
    value = value == adapter ? -1 : value > adapter ? value - 1 : value;
}

} // namespace

void Steps::shortenRepeat() {
  if (!from.repeat)
    return;
  add([](Case &test) { test.repeat.reset(); });
  add([](Case &test) { test.repeat->extra.clear(); });
  add([](Case &test) { test.repeat->extra.resize(test.repeat->extra.size() / 2); });
  add([](Case &test) { test.repeat->shuffle = 0; });
  add([](Case &test) { test.repeat->separate = false; });
}

void Steps::shortenMapping() {
  size_t tokens = from.mapping.size();
  for (size_t part = (tokens + 1) / 2; part > 0; part = part == 1 ? 0 : (part + 1) / 2)
    for (size_t first = 0; first < tokens && part < tokens; first += part)
      add([&](Case &test) { cut(test.mapping, first, first + part); });
}

void Steps::dropAdapters() {
  for (int32_t adapter = 0;
       from.ranks.size() > 1 && adapter < static_cast<int32_t>(from.ranks.size()); ++adapter)
    add([&](Case &test) {
      test.ranks.erase(test.ranks.begin() + adapter);
      removeAdapter(test.mapping, adapter);
      if (test.repeat)
        removeAdapter(test.repeat->extra, adapter);
    });
  for (size_t slice = 0; from.widths.size() > 1 && slice < from.widths.size(); ++slice)
    add([&](Case &test) { cut(test.widths, slice, slice + 1); });
}

void Steps::shrinkSizes() {
  for (int64_t unit : {128, 8, 1})
    add([&](Case &test) {
      if (test.hidden > 1)
        test.hidden = std::max<int64_t>(1, test.hidden / 2 / unit * unit);
    });
  for (size_t i = 0; i < from.ranks.size(); ++i)
    add([&](Case &test) { test.ranks[i] = (test.ranks[i] + 1) / 2; });
  add([](Case &test) { test.maxRank = 1; });
  for (size_t i = 0; i < from.widths.size(); ++i)
    for (int32_t unit : {8, 1})
      add([&](Case &test) { test.widths[i] = std::max(1, test.widths[i] / 2 / unit * unit); });
}

void Steps::simplifyLaunch() {
  add([](Case &test) { test.xType = test.wType = DType::F16; });
  Config defaults = ParameterSpace::of(from.kernel).defaults();
  auto simplify = [&](auto launchOf, const Launch &base) {
    add([&](Case &test) { launchOf(test) = base; });
    add([&](Case &test) {
      Launch &launch = launchOf(test);
      Launch plain = base;
      plain.config = launch.config;
      plain.target = launch.target;
      launch = plain;
    });
    add([&](Case &test) { launchOf(test).order = base.order; });
    add([&](Case &test) { launchOf(test).target = base.target; });
    for (const auto &[name, value] : base.config)
      if (name != "ADD_INPUTS")
        add([&](Case &test) { launchOf(test).config[name] = value; });
  };
  if (from.repeat)
    simplify([](Case &test) -> Launch & { return test.repeat->launch; }, from.launch);
  Launch plain;
  plain.config = defaults;
  if (plain.config.contains("ADD_INPUTS"))
    plain.config["ADD_INPUTS"] = from.addInputs;
  simplify([](Case &test) -> Launch & { return test.launch; }, plain);
  add([](Case &test) { test.data = 0; });
}

std::vector<Case> Steps::all() {
  shortenRepeat();
  shortenMapping();
  dropAdapters();
  shrinkSizes();
  simplifyLaunch();
  return std::move(found);
}

Failure lora::differential::minimise(Failure failure,
                                     const std::function<std::string(const Case &)> &check,
                                     std::chrono::seconds limit) {
  auto end = std::chrono::steady_clock::now() + limit;
  for (bool helped = true; helped;) {
    helped = false;
    for (const Case &smaller : Steps(failure.test).all()) {
      if (std::chrono::steady_clock::now() >= end)
        return failure;
      if (smaller.mapping.empty() || !whyInvalid(smaller).empty())
        continue;
      std::string message = check(smaller);
      if (message.empty())
        continue;
      failure = {smaller, message};
      helped = true;
      break;
    }
  }
  return failure;
}
