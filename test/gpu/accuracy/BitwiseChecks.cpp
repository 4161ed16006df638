//===- BitwiseChecks.cpp - Configs that must give the same bits ----------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bitwise.h"

#include "lora/Support/Error.h"

#include <array>

using namespace lora;
using namespace lora::accuracy;

/// A config with some parameters of others. Throws Error if it does not have them.
static Config with(Config config, const Config &changes) {
  for (const auto &[name, value] : changes) {
    auto found = config.find(name);
    if (found == config.end())
      throw Error("config " + configText(config) + ": expected a parameter " + name);
    found->second = value;
  }
  return config;
}

/// Blocks, warps and splits as different as the kernel allows.
static std::vector<Config> shrinkConfigs(const Config &base) {
  const char *names[] = {"BLOCK_M", "BLOCK_N", "BLOCK_K", "SPLIT_K",
                         "WARPS",   "WARPS_K", "RING",    "STAGES"};
  const std::vector<std::array<int64_t, 8>> choices = {
      {16, 16, 128, 1, 4, 4, 1, 1}, {16, 8, 128, 4, 4, 4, 1, 1},  {32, 16, 64, 2, 4, 2, 1, 1},
      {64, 32, 64, 1, 4, 1, 1, 1},  {16, 16, 128, 8, 1, 1, 1, 1}, {64, 32, 32, 16, 8, 2, 1, 1},
      {16, 16, 128, 1, 4, 4, 1, 3}, {32, 16, 64, 2, 4, 2, 1, 4},  {64, 32, 64, 4, 4, 1, 1, 2},
      {16, 16, 128, 2, 8, 8, 0, 2}, {32, 16, 64, 1, 4, 2, 0, 2}};
  std::vector<Config> configs = {base};
  for (const auto &values : choices) {
    // The ring in shared memory needs accesses of at least four bytes.
    if (values[6] * values[7] > 1 && base.at("ALIGN") == 1)
      continue;
    Config changes;
    for (size_t i = 0; i < values.size(); ++i)
      changes[names[i]] = values[i];
    configs.push_back(with(base, changes));
  }
  for (int64_t align : {1, 2})
    if (align < base.at("ALIGN"))
      configs.push_back(with(configs[1], {{"ALIGN", align}, {"RANK_ALIGN", align}}));
  return configs;
}

static std::vector<Config> expandConfigs(const Config &base) {
  const char *names[] = {"BLOCK_M", "BLOCK_N", "BLOCK_K", "WARPS"};
  // A kernel for ranks up to 16 has blocks of that depth, and an order of its own.
  const std::vector<std::array<int64_t, 4>> shallow = {{16, 128, 16, 4}, {32, 128, 16, 4},
                                                       {64, 64, 16, 4},  {16, 64, 16, 2},
                                                       {16, 32, 16, 1},  {128, 128, 16, 8}};
  const std::vector<std::array<int64_t, 4>> deep = {{16, 128, 32, 4}, {32, 128, 32, 4},
                                                    {64, 64, 32, 4},  {16, 64, 32, 2},
                                                    {16, 32, 32, 1},  {128, 128, 32, 8}};
  std::vector<Config> configs = {base};
  for (const auto &values : base.at("BLOCK_K") == 16 ? shallow : deep) {
    Config changes;
    for (size_t i = 0; i < values.size(); ++i)
      changes[names[i]] = values[i];
    configs.push_back(with(base, changes));
  }
  configs.push_back(with(configs[1], {{"RANK_ALIGN", 1}, {"Y_ALIGN", 1}}));
  return configs;
}

static BitwiseCheck makeCheck(const Case &base, std::vector<int64_t> otherBatches) {
  Config config = defaultConfig(base.op, base.shape.completed(base.op));
  bool isShrink = base.op == LoraOp::Shrink;
  return {base, isShrink ? shrinkConfigs(config) : expandConfigs(config), std::move(otherBatches)};
}

std::vector<BitwiseCheck> accuracy::bitwiseChecks(bool quick) {
  std::vector<BitwiseCheck> checks;
  for (LoraOp op : {LoraOp::Shrink, LoraOp::Expand})
    checks.push_back(makeCheck(plainCase(op, DType::F16, 100, 4096, 16, 4, 3), {1, 1000}));
  if (quick)
    return checks;
  for (LoraOp op : {LoraOp::Shrink, LoraOp::Expand}) {
    checks.push_back(makeCheck(plainCase(op, DType::BF16, 100, 2049, 24, 4, 3), {1, 1000}));
    checks.push_back(makeCheck(plainCase(op, DType::BF16, 100, 16384, 64, 4, 1), {1, 17, 8192}));
    checks.push_back(makeCheck(plainCase(op, DType::F16, 16, 64, 8, 1, 1), {1, 1000}));
  }
  return checks;
}
