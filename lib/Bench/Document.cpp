//===- Document.cpp - Results of a benchmark ------------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Bench/Document.h"

#include "lora/Support/Error.h"
#include "lora/Support/Files.h"

#include <nlohmann/json.hpp>

using namespace lora;
using nlohmann::ordered_json;

static ordered_json caseJson(const BenchCase &one) {
  ordered_json ops = ordered_json::array();
  for (BenchOp op : one.ops)
    ops.push_back(benchOpName(op));
  return {{"ops", ops},
          {"batch", one.batch},
          {"seq_length", one.seqLength},
          {"hidden", one.hidden},
          {"widths", one.widths},
          {"rank", one.rank},
          {"num_loras", one.numLoras},
          {"active", one.active},
          {"dtype", dtypeName(one.dtype)},
          {"sort", one.sort},
          {"no_lora_fraction", one.noLoraFraction},
          {"add_inputs", one.addInputs},
          {"offset", one.offset},
          {"label", one.label}};
}

static ordered_json resultJson(const BenchResult &result) {
  ordered_json json = {{"op", benchOpName(result.op)}, {"impl", result.impl}};
  if (!result.failed.empty()) {
    json["failed"] = result.failed;
    return json;
  }
  json["us"] = result.us;
  json["low"] = result.low;
  json["high"] = result.high;
  json["config"] = result.config;
  json["candidates"] = 1;
  if (result.error)
    json["error"] = *result.error;
  return json;
}

ordered_json lora::rowJson(const BenchCase &one, std::span<const BenchResult> results) {
  ordered_json row = {{"key", one.key()}, {"case", caseJson(one)}};
  for (BenchOp op : one.ops) {
    row["bytes"][std::string(benchOpName(op))] = one.bytesOf(op);
    row["flops"][std::string(benchOpName(op))] = one.flopsOf(op);
  }
  row["results"] = ordered_json::array();
  for (const BenchResult &result : results)
    row["results"].push_back(resultJson(result));
  return row;
}

ordered_json lora::emptyDocument() {
  return {{"format", 1},
          {"date", ""},
          {"device", ordered_json::object()},
          {"versions", ordered_json::object()},
          {"method", ordered_json::object()},
          {"copy_bytes_per_second", nullptr},
          {"rows", ordered_json::array()}};
}

/// What a row must have for the table and the comparison; null if it has.
static const char *flawOf(const ordered_json &row) {
  auto has = [](const ordered_json &json, const char *field, bool (ordered_json::*is)() const) {
    auto found = json.find(field);
    return found != json.end() && ((*found).*is)();
  };
  using Json = ordered_json;
  if (!row.is_object() || !has(row, "key", &Json::is_string) ||
      !has(row, "case", &Json::is_object) || !has(row, "results", &Json::is_array))
    return "expected an object with key, case and results";
  const ordered_json &fields = row["case"];
  for (const char *name : {"batch", "seq_length", "hidden", "rank", "num_loras"})
    if (!has(fields, name, &Json::is_number_integer))
      return "expected integers batch, seq_length, hidden, rank and num_loras in case";
  if (!has(fields, "widths", &Json::is_array) || !has(fields, "ops", &Json::is_array) ||
      fields["widths"].empty())
    return "expected lists ops and widths in case";
  for (const ordered_json &width : fields["widths"])
    if (!width.is_number_integer())
      return "expected integers in widths";
  for (const ordered_json &result : row["results"]) {
    if (!result.is_object() || !has(result, "op", &Json::is_string) ||
        !has(result, "impl", &Json::is_string))
      return "expected op and impl in each result";
    if (result.contains("us"))
      for (const char *name : {"us", "low", "high"})
        if (!has(result, name, &Json::is_number))
          return "expected numbers us, low and high in a result";
  }
  for (const ordered_json &op : fields["ops"]) {
    if (!op.is_string())
      return "expected names in ops";
    for (const char *name : {"bytes", "flops"})
      if (!has(row, name, &Json::is_object) ||
          !has(row[name], op.get<std::string>().c_str(), &Json::is_number))
        return "expected bytes and flops of each op";
  }
  return nullptr;
}

ordered_json lora::loadDocument(const std::string &path) {
  ordered_json document = ordered_json::parse(readFile(path), nullptr, false);
  if (!document.is_object() || document.value("format", ordered_json()) != 1)
    throw Error(path + ": expected the JSON of a run, of format 1");
  if (!document.contains("rows") || !document["rows"].is_array())
    throw Error(path + ": found no list 'rows', expected the JSON of a run");
  for (size_t i = 0; i < document["rows"].size(); ++i)
    if (const char *flaw = flawOf(document["rows"][i]))
      throw Error(path + ": rows[" + std::to_string(i) + "]: " + flaw);
  return document;
}

std::string lora::documentText(const ordered_json &document) { return document.dump(1) + "\n"; }
