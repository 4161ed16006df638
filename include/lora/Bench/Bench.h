//===- Bench.h - Measurement of the cases of a benchmark ------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "lora/Bench/Arguments.h"
#include "lora/Bench/Cublas.h"
#include "lora/Bench/Document.h"
#include "lora/Bench/Options.h"
#include "lora/Measure/GraphTimer.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

namespace lora {

class BenchCheck;

/// Measures cases on a device: lora-tile as engines get it, through the C interface and the
/// dispatch of a kernel pack, and cuBLAS.
class Bench {
public:
  /// Throws Error without a GPU, if the pack does not load, or if cuBLAS does not although it was
  /// asked for by its path.
  explicit Bench(const BenchOptions &options);
  ~Bench();

  /// The document of a run, without rows.
  nlohmann::ordered_json document() const;

  /// Why cuBLAS is not measured, although it is among the baselines; empty if it is.
  const std::string &whyNoCublas() const { return cublasProblem; }

  /// Checks and times the ops of a case. Throws Error if the device has too little memory.
  std::vector<BenchResult> run(const BenchCase &one);

private:
  struct Variation;

  std::vector<Variation> variationsOf(BenchArguments &arguments, BenchOp op);
  Variation ours(BenchArguments &arguments, BenchOp op, const std::string &impl, bool programmatic,
                 bool twoLaunches);
  Variation cublasOf(BenchArguments &arguments, BenchOp op);
  void prepare(BenchArguments &arguments, const Variation &variation);
  std::vector<BenchResult> runOp(BenchArguments &arguments, BenchCheck *check, BenchOp op);

  BenchOptions options;
  Device device;
  GraphTimer timer;
  RuntimeContext runtime;
  BenchPatterns patterns;
  std::optional<Cublas> cublas;
  std::string cublasProblem;
  double copyBytesPerSecond = 0;
};

/// Runs list_bench, range_bench or model_bench, or prints what they would measure: results to the
/// standard output and to the files that the options name, progress to the standard error. Returns
/// the exit status: 1 if a case failed, 130 after Ctrl-C, which ends a run and keeps its results.
int runBench(const BenchOptions &options);

} // namespace lora
