//===- Compare.cpp - What changed between two runs ------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Bench/Compare.h"

#include "lora/Bench/Document.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>

using namespace lora;
using nlohmann::ordered_json;

namespace {

double timeOf(const ordered_json &result) { return result["us"].get<double>(); }

/// Half of the range between the quartiles, as a fraction of the time.
double spreadOf(const ordered_json &result) {
  double us = timeOf(result);
  return us > 0 ? (result["high"].get<double>() - result["low"].get<double>()) / 2 / us : 0;
}

const ordered_json *findResult(const ordered_json &row, const ordered_json &like) {
  for (const ordered_json &result : row["results"])
    if (result["op"] == like["op"] && result["impl"] == like["impl"])
      return &result;
  return nullptr;
}

bool isLookedAt(const ordered_json &result, std::span<const std::string> impls) {
  std::string impl = result["impl"].get<std::string>();
  if (!result.contains("us"))
    return false;
  if (impls.empty())
    return impl.starts_with("lora-tile");
  return std::find(impls.begin(), impls.end(), impl) != impls.end();
}

void add(Comparison &comparison, const std::string &text, bool isRegression) {
  comparison.changes.push_back(text);
  comparison.regressions += isRegression;
}

void compareResults(Comparison &comparison, const std::string &key, const ordered_json &before,
                    const ordered_json *after, double tolerance) {
  ++comparison.compared;
  std::string name =
      before["op"].get<std::string>() + " " + before["impl"].get<std::string>() + "  " + key;
  if (!after)
    return add(comparison, "gone    " + name, true);
  if (!after->contains("us")) {
    std::string why = after->value("failed", "no time");
    return add(comparison, "failed  " + name + ": " + why, true);
  }
  double noise = std::max(tolerance, spreadOf(before) + spreadOf(*after));
  double ratio = timeOf(*after) / timeOf(before);
  bool isSlower = ratio > 1 + noise;
  if (!isSlower && ratio >= 1 / (1 + noise))
    return;
  std::array<char, 32> percent = {};
  std::snprintf(percent.data(), percent.size(), "%+.1f%%", 100 * (ratio - 1));
  add(comparison,
      std::string(isSlower ? "slower" : "faster") + "  " + percent.data() + "  " +
          microsecondsText(timeOf(before)) + " -> " + microsecondsText(timeOf(*after)) + " us  " +
          name,
      isSlower);
}

} // namespace

Comparison lora::compareDocuments(const ordered_json &before, const ordered_json &after,
                                  double tolerance, std::span<const std::string> impls) {
  std::map<std::string, const ordered_json *> rows;
  for (const ordered_json &row : after["rows"])
    rows[row["key"].get<std::string>()] = &row;
  Comparison comparison;
  for (const ordered_json &row : before["rows"]) {
    std::string key = row["key"].get<std::string>();
    auto found = rows.find(key);
    if (found == rows.end())
      continue;
    for (const ordered_json &result : row["results"])
      if (isLookedAt(result, impls))
        compareResults(comparison, key, result, findResult(*found->second, result), tolerance);
  }
  return comparison;
}
