//===- CaseText.cpp - Cases as text ----------------------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Case.h"
#include "ParameterSpace.h"
#include "lora/Support/Error.h"
#include "lora/Target/TargetFacts.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <sstream>

using namespace lora;
using namespace lora::differential;

namespace {

/// A number that `--case` can name.
template <typename Struct> struct Field {
  const char *name;
  int64_t (*get)(const Struct &);
  void (*set)(Struct &, int64_t);
};

#define FIELD(Struct, name, member)                                                                \
  Field<Struct> {                                                                                  \
    name, [](const Struct &s) { return static_cast<int64_t>(s.member); },                          \
        [](Struct &s, int64_t value) { s.member = static_cast<decltype(s.member)>(value); }        \
  }

const Field<Case> kCaseFields[] = {
    FIELD(Case, "hidden", hidden),
    FIELD(Case, "add", addInputs),
    FIELD(Case, "data", data),
};

const Field<Launch> kLaunchFields[] = {
    FIELD(Launch, "order", order),
    FIELD(Launch, "x-gap", xGap),
    FIELD(Launch, "a-gap", aGap),
    FIELD(Launch, "b-gap", bGap),
    FIELD(Launch, "y-gap", yGap),
    FIELD(Launch, "s-gap", sGap),
    FIELD(Launch, "s-slice-gap", sSliceGap),
    FIELD(Launch, "y-head", yHead),
    FIELD(Launch, "y-tail", yTail),
};

#undef FIELD

constexpr std::string_view kRepeatPrefix = "again.";

/// Runs of equal numbers, e.g. "0x3,-1,2".
std::string listText(const std::vector<int32_t> &values) {
  std::string text;
  for (size_t i = 0; i < values.size();) {
    size_t end = i;
    while (end < values.size() && values[end] == values[i])
      ++end;
    text += (i ? "," : "") + std::to_string(values[i]);
    if (end - i > 1)
      text += "x" + std::to_string(end - i);
    i = end;
  }
  return text;
}

int64_t parseNumber(std::string_view key, std::string_view text) {
  int64_t value = 0;
  auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc() || end != text.data() + text.size())
    throw Error("case: " + std::string(key) + ": expected an integer, found '" + std::string(text) +
                "'");
  return value;
}

std::vector<int32_t> parseList(std::string_view key, std::string_view text) {
  std::vector<int32_t> values;
  while (!text.empty()) {
    std::string_view run = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), run.size() + 1));
    size_t times = run.find('x');
    int64_t count = times == run.npos ? 1 : parseNumber(key, run.substr(times + 1));
    if (count < 0 || count > 1 << 20)
      throw Error("case: " + std::string(key) + ": expected at most 1048576 times, found " +
                  std::to_string(count));
    values.insert(values.end(), static_cast<size_t>(count),
                  static_cast<int32_t>(parseNumber(key, run.substr(0, times))));
  }
  return values;
}

/// Appends " key=value" for what differs from `base`.
void appendLaunch(std::ostream &text, std::string_view prefix, const Launch &launch,
                  const Launch &base) {
  if (launch.target != base.target)
    text << " " << prefix << "arch=" << launch.target;
  for (const Field<Launch> &field : kLaunchFields)
    if (field.get(launch) != field.get(base))
      text << " " << prefix << field.name << "=" << field.get(launch);
  for (const auto &[name, value] : launch.config)
    if (name != "ADD_INPUTS" && (!base.config.contains(name) || base.config.at(name) != value))
      text << " " << prefix << name << "=" << value;
}

using Entry = std::pair<std::string, std::string>;

std::vector<Entry> splitEntries(std::string_view text) {
  std::vector<Entry> entries;
  std::istringstream words{std::string(text)};
  for (std::string word; words >> word;) {
    size_t equals = word.find('=');
    if (equals == word.npos)
      throw Error("case: expected key=value, found '" + word + "'");
    entries.emplace_back(word.substr(0, equals), word.substr(equals + 1));
  }
  return entries;
}

/// Whether `key` belongs to a launch.
bool setInLaunch(Launch &launch, const std::string &key, const std::string &value) {
  if (key == "arch") {
    launch.target = findTarget(value).name;
    return true;
  }
  for (const Field<Launch> &field : kLaunchFields)
    if (key == field.name) {
      field.set(launch, parseNumber(key, value));
      return true;
    }
  if (!launch.config.contains(key))
    return false;
  launch.config[key] = parseNumber(key, value);
  return true;
}

bool setInCase(Case &test, const std::string &key, const std::string &value) {
  for (const Field<Case> &field : kCaseFields)
    if (key == field.name) {
      field.set(test, parseNumber(key, value));
      return true;
    }
  if (key == "ranks")
    test.ranks = parseList(key, value);
  else if (key == "max-rank")
    test.maxRank = static_cast<int32_t>(parseNumber(key, value));
  else if (key == "widths")
    test.widths = parseList(key, value);
  else if (key == "mapping")
    test.mapping = parseList(key, value);
  else if (key == "x-type")
    test.xType = parseDType(value);
  else if (key == "w-type")
    test.wType = parseDType(value);
  else
    return key == "op" || setInLaunch(test.launch, key, value);
  return true;
}

bool setInRepeat(Repeat &repeat, const std::string &key, const std::string &value) {
  if (key == "extra")
    repeat.extra = parseList(key, value);
  else if (key == "separate")
    repeat.separate = parseNumber(key, value) != 0;
  else if (key == "shuffle")
    repeat.shuffle = static_cast<uint64_t>(parseNumber(key, value));
  else
    return setInLaunch(repeat.launch, key, value);
  return true;
}

Kernel parseKernel(const std::vector<Entry> &entries) {
  for (const auto &[key, value] : entries) {
    if (key != "op")
      continue;
    for (Kernel kernel : {Kernel::Shrink, Kernel::Expand, Kernel::ShrinkExpand})
      if (value == kernelName(kernel))
        return kernel;
    throw Error("case: op: expected shrink, expand or shrink_expand, found '" + value + "'");
  }
  throw Error("case: expected op=shrink, op=expand or op=shrink_expand");
}

} // namespace

std::string lora::differential::toText(const Case &test) {
  const Case base;
  std::ostringstream text;
  text << "op=" << kernelName(test.kernel);
  if (test.xType != base.xType)
    text << " x-type=" << dtypeName(test.xType);
  if (test.wType != base.wType)
    text << " w-type=" << dtypeName(test.wType);
  text << " ranks=" << listText(test.ranks) << " widths=" << listText(test.widths)
       << " mapping=" << listText(test.mapping);
  if (test.maxRank != std::max(1, *std::ranges::max_element(test.ranks)))
    text << " max-rank=" << test.maxRank;
  for (const Field<Case> &field : kCaseFields)
    if (field.get(test) != field.get(base))
      text << " " << field.name << "=" << field.get(test);
  Launch defaults;
  defaults.config = ParameterSpace::of(test.kernel).defaults();
  appendLaunch(text, "", test.launch, defaults);
  if (test.repeat) {
    text << " " << kRepeatPrefix << "extra=" << listText(test.repeat->extra);
    if (test.repeat->separate)
      text << " " << kRepeatPrefix << "separate=1";
    if (test.repeat->shuffle != 0)
      text << " " << kRepeatPrefix << "shuffle=" << test.repeat->shuffle;
    appendLaunch(text, kRepeatPrefix, test.repeat->launch, test.launch);
  }
  return text.str();
}

Case lora::differential::parseCase(std::string_view text) {
  std::vector<Entry> entries = splitEntries(text);
  Case test;
  test.kernel = parseKernel(entries);
  test.launch.config = ParameterSpace::of(test.kernel).defaults();
  auto unknown = [](const std::string &key) {
    throw Error("case: unknown key '" + key + "': expected one that a failing case prints");
  };
  for (const auto &[key, value] : entries)
    if (!key.starts_with(kRepeatPrefix) && !setInCase(test, key, value))
      unknown(key);
  // What the second launch does not say, the first one does.
  for (const auto &[key, value] : entries) {
    if (!key.starts_with(kRepeatPrefix))
      continue;
    if (!test.repeat)
      test.repeat = Repeat{test.launch, {}, false, 0};
    if (!setInRepeat(*test.repeat, key.substr(kRepeatPrefix.size()), value))
      unknown(key);
  }
  for (auto [key, values] : {std::pair{"ranks", &test.ranks}, std::pair{"widths", &test.widths},
                             std::pair{"mapping", &test.mapping}})
    if (values->empty())
      throw Error(std::string("case: ") + key + ": expected at least one");
  if (std::ranges::none_of(entries, [](const Entry &entry) { return entry.first == "max-rank"; }))
    test.maxRank = std::max(1, *std::ranges::max_element(test.ranks));
  if (test.launch.config.contains("ADD_INPUTS"))
    test.launch.config["ADD_INPUTS"] = test.addInputs;
  if (test.repeat && test.repeat->launch.config.contains("ADD_INPUTS"))
    test.repeat->launch.config["ADD_INPUTS"] = test.addInputs;
  return test;
}
