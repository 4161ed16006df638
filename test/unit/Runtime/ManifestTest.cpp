//===- ManifestTest.cpp - Tests of kernel manifests -----------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Runtime/Manifest.h"

#include "lora/Support/Error.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <fstream>
#include <functional>

using namespace lora;
using nlohmann::json;

namespace {

KernelManifest example() {
  KernelManifest manifest;
  manifest.kernel = "shrink";
  manifest.symbol = "shrink_f16_0";
  manifest.target = "sm_90a";
  manifest.types = {{"X", "f16"}, {"W", "bf16"}};
  manifest.config = {{"BLOCK_M", 16}, {"K_ALIGN", 8}};
  manifest.arguments = {{"x", "ptr"}, {"tokens", "i32"}, {"x_stride", "i64"}, {"scale", "f32"}};
  manifest.grid = {"ceildiv(tokens, BLOCK_M)", "1", "2"};
  manifest.assumptions = {"x_stride % K_ALIGN == 0", "x % 16 == 0"};
  manifest.threads = 128;
  manifest.sharedBytes = 65536;
  manifest.cluster = {1, 1, 2};
  manifest.workspaceBytesPerGroup = 1024;
  manifest.splitGroupSize = 2;
  manifest.report = KernelManifest::Report{64, 0, 8};
  manifest.versions = {{"ptxas", "13.0"}};
  return manifest;
}

/// The error for the example with a change to its JSON.
std::string errorAfter(const std::function<void(json &)> &change) {
  json root = json::parse(example().toJson());
  change(root);
  try {
    KernelManifest::fromJson(root.dump(), "m.json");
  } catch (const Error &error) {
    return error.what();
  }
  return "no error";
}

TEST(Manifest, RoundTrip) {
  std::string text = example().toJson();
  KernelManifest read = KernelManifest::fromJson(text, "m.json");
  EXPECT_EQ(read.toJson(), text);
  EXPECT_EQ(read.config, example().config);
  EXPECT_EQ(read.arguments[3].type, "f32");
  EXPECT_EQ(read.cluster[2], 2u);
  EXPECT_EQ(read.report->stackBytes, 8u);
  EXPECT_TRUE(read.hasWorkspace());
}

TEST(Manifest, ReportIsOptional) {
  EXPECT_EQ(errorAfter([](json &root) { root.erase("report"); }), "no error");
}

TEST(Manifest, NotJson) {
  try {
    KernelManifest::fromJson("{\"format\": 1,", "m.json");
    FAIL();
  } catch (const Error &error) {
    EXPECT_STREQ(error.what(), "m.json: not valid JSON at byte 14");
  }
  EXPECT_EQ(errorAfter([](json &root) { root = json::array(); }),
            "m.json: expected an object, found array");
}

TEST(Manifest, MissingAndUnknownFields) {
  EXPECT_EQ(errorAfter([](json &root) { root.erase("symbol"); }),
            "m.json: field 'symbol' is missing");
  EXPECT_EQ(errorAfter([](json &root) { root["sharedMemory"] = 1; }),
            "m.json: unknown field 'sharedMemory'");
  EXPECT_EQ(errorAfter([](json &root) { root["arguments"][1].erase("type"); }),
            "m.json: field 'arguments[1].type' is missing");
  EXPECT_EQ(errorAfter([](json &root) { root["report"]["x"] = 1; }),
            "m.json: unknown field 'report.x'");
}

TEST(Manifest, WrongTypes) {
  EXPECT_EQ(errorAfter([](json &root) { root["kernel"] = 3; }),
            "m.json: field 'kernel': expected a string, found number");
  EXPECT_EQ(errorAfter([](json &root) { root["threads"] = 12.5; }),
            "m.json: field 'threads': expected an integer, found 12.5");
  EXPECT_EQ(errorAfter([](json &root) { root["config"]["BLOCK_M"] = "16"; }),
            "m.json: field 'config.BLOCK_M': expected an integer, found \"16\"");
  EXPECT_EQ(errorAfter([](json &root) { root["types"] = json::array(); }),
            "m.json: field 'types': expected an object, found array");
  EXPECT_EQ(errorAfter([](json &root) { root["arguments"][0] = "x"; }),
            "m.json: field 'arguments[0]': expected an object, found string");
  EXPECT_EQ(errorAfter([](json &root) {
              root["grid"] = {"1", "1"};
            }),
            "m.json: field 'grid': expected 3 entries, found 2");
}

TEST(Manifest, ValuesOutOfRange) {
  EXPECT_EQ(errorAfter([](json &root) { root["format"] = 2; }),
            "m.json: field 'format': expected 1 to 1, found 2");
  EXPECT_EQ(errorAfter([](json &root) { root["threads"] = 2048; }),
            "m.json: field 'threads': expected 1 to 1024, found 2048");
  EXPECT_EQ(errorAfter([](json &root) { root["sharedBytes"] = -1; }),
            "m.json: field 'sharedBytes': expected 0 to 4294967295, found -1");
  EXPECT_EQ(errorAfter([](json &root) { root["splitGroupSize"] = 0; }),
            "m.json: field 'splitGroupSize': expected 1 to 9223372036854775807, found 0");
  EXPECT_EQ(errorAfter([](json &root) { root["workspaceBytesPerGroup"] = UINT64_MAX; }),
            "m.json: field 'workspaceBytesPerGroup': expected 0 to 9223372036854775807, "
            "found 18446744073709551615");
  EXPECT_EQ(errorAfter([](json &root) {
              root["cluster"] = {4, 4, 4};
            }),
            "m.json: field 'cluster': expected at most 16 blocks");
  EXPECT_EQ(errorAfter([](json &root) { root["symbol"] = ""; }),
            "m.json: field 'symbol': expected a name, found an empty string");
}

TEST(Manifest, NamesAreChecked) {
  EXPECT_EQ(errorAfter([](json &root) { root["grid"][1] = "hidden"; }),
            "m.json: field 'grid[1]': 'hidden' uses 'hidden', which is no integer argument or "
            "config name");
  EXPECT_NE(errorAfter([](json &root) { root["grid"][1] = "x"; }), "no error");
  EXPECT_EQ(errorAfter([](json &root) { root["assumptions"][0] = "scale == 1"; }),
            "m.json: field 'assumptions[0]': 'scale == 1' uses 'scale', which is no integer "
            "argument, pointer or config name");
  EXPECT_EQ(errorAfter([](json &root) { root["arguments"][1]["name"] = "x"; }),
            "m.json: field 'arguments[1].name': argument 'x' occurs twice");
  EXPECT_EQ(errorAfter([](json &root) { root["config"]["tokens"] = 1; }),
            "m.json: field 'config.tokens': an argument has the same name");
  EXPECT_EQ(errorAfter([](json &root) { root["arguments"][1]["type"] = "f16"; }),
            "m.json: field 'arguments[1].type': expected ptr, i32, i64 or f32, found 'f16'");
}

TEST(Manifest, ExpressionsMustParse) {
  EXPECT_EQ(errorAfter([](json &root) { root["grid"][0] = "tokens +"; }),
            "m.json: field 'grid[0]': expression 'tokens +', position 8: expected an integer, a "
            "name or '(', found the end");
}

TEST(Manifest, Load) {
  std::string path = testing::TempDir() + "lora_manifest_test.json";
  std::ofstream(path) << example().toJson();
  EXPECT_EQ(KernelManifest::load(path).kernel, "shrink");
  std::remove(path.c_str());
  try {
    KernelManifest::load(path);
    FAIL();
  } catch (const Error &error) {
    EXPECT_EQ(error.what(), path + ": cannot open: No such file or directory");
  }
}

} // namespace
