//===- Measure.cpp - The error of what a kernel computes -----------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Measure.h"

#include "lora/Support/Error.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <sstream>

using namespace lora;
using namespace lora::accuracy;

/// About how many multiply-adds the reference of a token takes; its elements are written and
/// compared as well, each of which counts as some more.
static int64_t workOfToken(const LoraProblem &problem) {
  constexpr int64_t perElement = 16;
  const LoraShape &shape = problem.shape();
  if (problem.op() == LoraOp::Shrink)
    return shape.slices() * shape.maxRank * (shape.hidden + perElement);
  int64_t width = std::accumulate(shape.sliceWidths.begin(), shape.sliceWidths.end(), int64_t(0));
  return width * (shape.maxRank + perElement);
}

double accuracy::tolerance(const LoraShape &shape) {
  return shape.xType == DType::F16 && shape.wType == DType::F16 ? 2e-3 : 1e-2;
}

std::vector<int64_t> accuracy::measuredTokens(const LoraProblem &problem, uint64_t seed) {
  const std::vector<int32_t> &sorted = problem.mapping().tokenIndices;
  int64_t all = static_cast<int64_t>(sorted.size());
  int64_t rows = std::max(kReferenceWork / workOfToken(problem), kLeastRows);
  if (rows >= all)
    return {sorted.begin(), sorted.end()};
  // One at random from each of `rows` parts of equal size.
  std::mt19937_64 generator(seed);
  std::vector<int64_t> tokens;
  for (int64_t row = 0; row < rows; ++row) {
    int64_t begin = row * all / rows, end = (row + 1) * all / rows;
    tokens.push_back(sorted[size_t(begin) + generator() % size_t(end - begin)]);
  }
  return tokens;
}

Outcome accuracy::measure(LoraProblem &problem, Kernel &kernel, DeviceRunner &runner,
                          uint64_t seed) {
  runner.run(problem, kernel);
  problem.checkUntouched();
  problem.checkWritten();
  std::vector<int64_t> tokens = measuredTokens(problem, seed);
  LoraProblem::Errors errors = problem.errors(tokens);
  Outcome outcome;
  outcome.error = errors.total;
  outcome.sampled = tokens.size() < problem.mapping().tokenIndices.size();
  double limit = tolerance(problem.shape());
  if (!(errors.total < limit) || !(errors.worstRow < limit)) {
    std::ostringstream text;
    text << "relative error " << errors.total << ", of the worst row " << errors.worstRow
         << ": expected less than " << limit;
    outcome.failure = text.str();
  }
  return outcome;
}
