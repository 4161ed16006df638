//===- Tables.cpp - The table and the CSV file of a benchmark -------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Bench/Document.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <vector>

using namespace lora;
using nlohmann::ordered_json;

namespace {

struct Column {
  const char *impl;
  const char *heading;
};

constexpr std::array<Column, 8> implColumns = {{
    {"lora-tile", "lora-tile"},
    {"lora-tile-pdl", "pdl"},
    {"lora-tile-two", "two"},
    {"lora-tile-two-pdl", "two-pdl"},
    {"triton-tuned", "triton"},
    {"triton-default", "untuned"},
    {"vllm", "vllm"},
    {"cublas", "cublas"},
}};

std::string formatted(const char *format, double value) {
  std::array<char, 64> text = {};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

const ordered_json *findResult(const ordered_json &row, const std::string &op,
                               std::string_view impl) {
  for (const ordered_json &result : row["results"])
    if (result["op"] == op && result["impl"] == impl)
      return &result;
  return nullptr;
}

std::optional<double> timeOf(const ordered_json &row, const std::string &op,
                             std::string_view impl) {
  const ordered_json *result = findResult(row, op, impl);
  if (!result || !result->contains("us"))
    return std::nullopt;
  return (*result)["us"].get<double>();
}

/// The fastest of our results; null without any.
const ordered_json *bestOfOurs(const ordered_json &row, const std::string &op) {
  const ordered_json *best = nullptr;
  for (const Column &column : std::span(implColumns).first(4)) {
    const ordered_json *result = findResult(row, op, column.impl);
    if (result && result->contains("us") &&
        (!best || (*result)["us"].get<double>() < (*best)["us"].get<double>()))
      best = result;
  }
  return best;
}

std::string failuresOf(const ordered_json &row, const std::string &op) {
  std::string text;
  for (const ordered_json &result : row["results"])
    if (result["op"] == op && result.contains("failed"))
      text += (text.empty() ? "FAILED: " : "; ") + result["impl"].get<std::string>() + ": " +
              result["failed"].get<std::string>();
  return text;
}

std::string fieldText(const ordered_json &object, const char *name) {
  auto found = object.find(name);
  if (found == object.end() || found->is_null())
    return "";
  return found->is_string() ? found->get<std::string>() : found->dump();
}

std::vector<std::string> tableLine(const ordered_json &row, const std::string &op,
                                   std::optional<double> copy) {
  const ordered_json &one = row["case"];
  double bytes = row["bytes"][op], flops = row["flops"][op];
  std::optional<double> floor;
  if (copy)
    floor = bytes / *copy * 1e6;
  std::string label = fieldText(one, "label");
  std::vector<std::string> cells = {
      label.empty() ? "-" : label,
      std::to_string(one["batch"].get<int64_t>() * one["seq_length"].get<int64_t>()),
      shapeText(one["hidden"].get<int64_t>(), one["widths"].get<std::vector<int64_t>>()),
      one["rank"].dump(),
      one["num_loras"].dump(),
      op,
      formatted("%.3f", bytes / 1e6),
      formatted("%.2f", flops / 1e6)};
  for (const Column &column : implColumns)
    cells.push_back(microsecondsText(timeOf(row, op, column.impl)));
  cells.push_back(microsecondsText(floor));
  const ordered_json *ours = bestOfOurs(row, op);
  std::optional<double> tuned = timeOf(row, op, "triton-tuned");
  double us = ours ? (*ours)["us"].get<double>() : 0;
  auto measured = [&](bool known, auto text) { return us > 0 && known ? text() : "-"; };
  cells.push_back(
      measured(floor.has_value(), [&] { return formatted("%.0f%%", 100 * *floor / us); }));
  cells.push_back(measured(tuned.has_value(), [&] { return formatted("%.2f", *tuned / us); }));
  cells.push_back(measured(ours, [&] {
    double spread = (*ours)["high"].get<double>() - (*ours)["low"].get<double>();
    return formatted("%.1f%%", 100 * spread / us);
  }));
  std::string config = ours ? fieldText(*ours, "config") : "", failures = failuresOf(row, op);
  cells.push_back(config + (config.empty() || failures.empty() ? "" : " ") + failures);
  return cells;
}

std::optional<double> copyOf(const ordered_json &document) {
  auto copy = document.find("copy_bytes_per_second");
  if (copy == document.end() || !copy->is_number() || copy->get<double>() <= 0)
    return std::nullopt;
  return copy->get<double>();
}

/// Removes the columns that have nothing but "-" below their heading.
void dropEmptyColumns(std::vector<std::vector<std::string>> &lines) {
  for (size_t column = lines.front().size() - 1; column-- > 0;) {
    bool isEmpty = std::all_of(lines.begin() + 1, lines.end(),
                               [&](const auto &line) { return line[column] == "-"; });
    if (isEmpty && lines.size() > 1)
      for (auto &line : lines)
        line.erase(line.begin() + static_cast<ptrdiff_t>(column));
  }
}

/// A field of a CSV file.
std::string csvField(const std::string &text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos)
    return text;
  std::string result = "\"";
  for (char character : text)
    result += character == '"' ? std::string("\"\"") : std::string(1, character);
  return result + "\"";
}

std::string widthsText(const ordered_json &widths) {
  std::string text;
  for (const ordered_json &width : widths)
    text += (text.empty() ? "" : "+") + width.dump();
  return text;
}

std::string csvLine(const ordered_json &row, const ordered_json &result,
                    std::optional<double> copy) {
  const ordered_json &one = row["case"];
  std::string op = result["op"].get<std::string>();
  auto amount = [&](const char *name) {
    return row.contains(name) ? fieldText(row[name], op.c_str()) : "";
  };
  int64_t tokens = one["batch"].get<int64_t>() * one["seq_length"].get<int64_t>();
  std::vector<std::string> cells = {std::to_string(tokens)};
  for (const char *name : {"batch", "seq_length", "hidden"})
    cells.push_back(fieldText(one, name));
  cells.push_back(widthsText(one["widths"]));
  for (const char *name :
       {"rank", "num_loras", "active", "dtype", "sort", "no_lora_fraction", "add_inputs", "label"})
    cells.push_back(fieldText(one, name));
  for (const char *name : {"op", "impl", "us", "low", "high"})
    cells.push_back(fieldText(result, name));
  std::string bytes = amount("bytes");
  cells.push_back(bytes);
  cells.push_back(amount("flops"));
  cells.push_back(copy && !bytes.empty() ? ordered_json(std::stod(bytes) / *copy * 1e6).dump()
                                         : "");
  for (const char *name : {"error", "config", "failed"})
    cells.push_back(fieldText(result, name));
  std::string line;
  for (size_t i = 0; i < cells.size(); ++i)
    line += (i ? "," : "") + csvField(cells[i]);
  return line + "\n";
}

} // namespace

std::string lora::microsecondsText(std::optional<double> value) {
  return value ? formatted(*value < 100 ? "%.2f" : "%.1f", *value) : "-";
}

std::string lora::alignedTable(std::span<const std::vector<std::string>> lines, bool alignLast) {
  std::vector<size_t> widths;
  for (const std::vector<std::string> &line : lines) {
    widths.resize(std::max(widths.size(), line.size()));
    for (size_t i = 0; i < line.size(); ++i)
      widths[i] = std::max(widths[i], line[i].size());
  }
  if (!alignLast)
    widths.back() = 0;
  std::string text;
  for (const std::vector<std::string> &line : lines) {
    std::string shown;
    for (size_t i = 0; i < line.size(); ++i)
      shown += (i ? "  " : "") +
               std::string(std::max(widths[i], line[i].size()) - line[i].size(), ' ') + line[i];
    text += shown.substr(0, shown.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

std::string lora::documentTable(const ordered_json &document) {
  std::vector<std::string> heading = {"model", "tokens", "shape", "rank",
                                      "loras", "op",     "MB",    "Mflop"};
  for (const Column &column : implColumns)
    heading.push_back(column.heading);
  for (const char *name : {"floor", "of copy", "speed-up", "spread", "config"})
    heading.push_back(name);
  std::vector<std::vector<std::string>> lines = {heading};
  for (const ordered_json &row : document["rows"])
    for (const ordered_json &op : row["case"]["ops"])
      lines.push_back(tableLine(row, op.get<std::string>(), copyOf(document)));
  dropEmptyColumns(lines);
  return alignedTable(lines);
}

std::string lora::documentCsv(const ordered_json &document) {
  std::string text =
      "tokens,batch,seq_length,hidden,widths,rank,num_loras,active,dtype,sort,no_lora_fraction,"
      "add_inputs,label,op,impl,us,low,high,bytes,flops,floor_us,error,config,failed\n";
  for (const ordered_json &row : document["rows"])
    for (const ordered_json &result : row["results"])
      text += csvLine(row, result, copyOf(document));
  return text;
}
