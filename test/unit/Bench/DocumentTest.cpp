//===- DocumentTest.cpp - Tests of results of a benchmark -----------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Bench/Document.h"

#include "lora/Support/Error.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <fstream>

using namespace lora;
using nlohmann::ordered_json;

namespace {

ordered_json document() {
  BenchCase one;
  one.ops = {BenchOp::Shrink, BenchOp::Pair};
  one.batch = 16;
  one.hidden = 1024;
  one.widths = {1024};
  one.rank = 16;
  one.numLoras = one.active = 4;
  std::vector<BenchResult> results = {
      {BenchOp::Shrink, "lora-tile", 4, 3.96, 4.04, "BLOCK_M=16", 1e-4, ""},
      {BenchOp::Shrink, "cublas", 5, 5, 5, "", {}, ""},
      {BenchOp::Pair, "lora-tile", 0, 0, 0, "", {}, "error 1, expected below 0.002"},
  };
  ordered_json document = emptyDocument();
  document["copy_bytes_per_second"] = 4e12;
  document["rows"].push_back(rowJson(one, results));
  return document;
}

std::string loadError(const std::string &text) {
  std::string path = testing::TempDir() + "lora_document_test.json";
  std::ofstream(path) << text;
  std::string message = "no error";
  try {
    loadDocument(path);
  } catch (const Error &error) {
    message = error.what();
  }
  std::remove(path.c_str());
  return message.starts_with(path) ? message.substr(path.size()) : message;
}

TEST(Document, RoundTrip) { EXPECT_EQ(loadError(documentText(document())), "no error"); }

TEST(Document, FieldsOfResults) {
  ordered_json results = document()["rows"][0]["results"];
  EXPECT_EQ(results[0]["us"], 4);
  EXPECT_EQ(results[0]["candidates"], 1);
  EXPECT_FALSE(results[1].contains("error"));
  EXPECT_FALSE(results[2].contains("us"));
}

TEST(Document, TableLeavesEmptyColumnsOut) {
  EXPECT_EQ(
      documentTable(document()),
      "tokens       shape  rank  loras      op     MB  Mflop  lora-tile  cublas  floor  of "
      "copy  spread  config\n"
      "    16  1024->1024    16      4  shrink  0.165   0.52       4.00    5.00   0.04       "
      "1%    2.0%  BLOCK_M=16\n"
      "    16  1024->1024    16      4    pair  0.360   1.05          -       -   0.09        "
      "-       -  FAILED: lora-tile: error 1, expected below 0.002\n");
}

TEST(Document, Csv) {
  std::string csv = documentCsv(document());
  EXPECT_NE(csv.find("16,16,1,1024,1024,16,4,4,f16,true,0.0,true,,shrink,lora-tile,4.0,3.96,4.04,"
                     "164864,524288,0.041216"),
            std::string::npos)
      << csv;
  EXPECT_NE(csv.find(",\"error 1, expected below 0.002\"\n"), std::string::npos);
}

TEST(Document, WhatIsNoDocument) {
  EXPECT_EQ(loadError("{"), ": expected the JSON of a run, of format 1");
  EXPECT_EQ(loadError("{\"format\": 2}"), ": expected the JSON of a run, of format 1");
  EXPECT_EQ(loadError("{\"format\": 1}"), ": found no list 'rows', expected the JSON of a run");
  EXPECT_EQ(loadError("{\"format\": 1, \"rows\": [3]}"),
            ": rows[0]: expected an object with key, case and results");
  ordered_json changed = document();
  changed["rows"][0]["results"][0]["us"] = "fast";
  EXPECT_EQ(loadError(changed.dump()), ": rows[0]: expected numbers us, low and high in a result");
  changed = document();
  changed["rows"][0]["case"]["widths"] = ordered_json::array();
  EXPECT_EQ(loadError(changed.dump()), ": rows[0]: expected lists ops and widths in case");
}

} // namespace
