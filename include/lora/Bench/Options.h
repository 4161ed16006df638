//===- Options.h - What a user asks of a benchmark ------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "lora/Bench/Case.h"

#include <cstdint>
#include <string>
#include <vector>

namespace lora {

/// The three ways to say what is measured.
enum class BenchMode { List, Range, Model };

/// Start, end (included) and increment.
struct BenchSteps {
  int64_t start = 0, end = 0, increment = 1;
};

/// The options of lora-bench, by their names on the command line.
struct BenchOptions {
  BenchMode mode = BenchMode::List;

  std::vector<int64_t> batchSizes = {1, 16, 32, 64, 128, 256, 512};
  std::vector<int64_t> seqLengths = {1};
  std::vector<int64_t> hiddenSizes = {1024, 2048, 4096, 8192, 16384};
  std::vector<int64_t> loraRanks = {16};
  std::vector<int64_t> numSlices = {1};
  /// Of range mode.
  BenchSteps hiddenSteps = {1024, 8192, 1024};
  BenchSteps rankSteps = {16, 64, 16};
  /// Of model mode; an adapter replaces loraRanks, and selects projections.
  std::vector<std::string> models;
  std::vector<int64_t> tpSizes = {1};
  std::string adapter;

  std::vector<int64_t> numLoras = {4};
  /// 0 for all of numLoras.
  int64_t numActiveLoras = 0;
  std::string dtype = "f16";
  std::vector<int> sortByLoraId = {1};
  double noLoraFraction = 0;
  std::vector<int> expandFnAddInputs = {1};
  std::vector<std::string> opTypes = {"lora_shrink", "lora_expand", "lora_shrink_expand"};

  std::vector<std::string> baselines = {"lora-tile", "cublas"};
  /// A kernel pack; empty for the one that is installed with the runtime library.
  std::string pack;
  /// The cuBLAS library; empty to look for it where CUDA is installed.
  std::string cublas;
  uint64_t argPoolSize = 32;
  unsigned cudaGraphNops = 32;
  bool withCudaGraph = true;
  unsigned replays = 15;
  bool testCorrectness = true;
  uint64_t seed = 0;
  std::string json, csv;
  bool resume = false;
  bool dryRun = false;
  /// Of dryRun, in TB/s.
  double bandwidth = 4.3;
};

/// The names of --op-types.
std::vector<std::string> benchOpTypes();

/// The cases of all combinations, each once. Throws Error, naming the option, for what does not go
/// together or no kernel supports.
std::vector<BenchCase> makeCases(const BenchOptions &options);

} // namespace lora
