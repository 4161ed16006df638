//===- Bitwise.cpp - Rows have the same bits in every batch and config ---===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bitwise.h"

#include "Measure.h"
#include "lora/Support/Error.h"

#include <algorithm>
#include <cstring>
#include <utility>

using namespace lora;
using namespace lora::accuracy;

namespace {

/// A row of an input or the output of a problem.
using Row = std::span<std::byte>;

/// Which row of another batch holds which of the base.
struct SharedRow {
  int64_t base, other;
};

} // namespace

static Row rowOf(HostBuffer &buffer, size_t elementSize, int64_t first, int64_t elements) {
  return buffer.bytes().subspan(size_t(first) * elementSize, size_t(elements) * elementSize);
}

static HostBuffer &bufferOf(LoraProblem &problem, std::string_view name) {
  return *std::find_if(problem.buffers().begin(), problem.buffers().end(),
                       [&](const HostBuffer &buffer) { return buffer.name() == name; });
}

/// The rows of s of all slices.
static std::vector<Row> rowsOfS(LoraProblem &problem, int64_t token) {
  const LoraShape &shape = problem.shape();
  std::vector<Row> rows;
  for (int32_t slice = 0; slice < shape.slices(); ++slice)
    rows.push_back(rowOf(bufferOf(problem, "s"), sizeof(float),
                         slice * shape.sSliceStride + token * shape.sStride, shape.maxRank));
  return rows;
}

static Row rowOfY(LoraProblem &problem, int64_t token) {
  const LoraShape &shape = problem.shape();
  return rowOf(problem.output(), byteSize(shape.xType), token * shape.yStride, shape.outputWidth);
}

/// What a token's output depends on besides its adapter, with the output before the launch.
static std::vector<Row> inputsOf(LoraProblem &problem, int64_t token) {
  const LoraShape &shape = problem.shape();
  if (problem.op() == LoraOp::Shrink)
    return {
        rowOf(bufferOf(problem, "x"), byteSize(shape.xType), token * shape.xStride, shape.hidden)};
  std::vector<Row> rows = rowsOfS(problem, token);
  rows.push_back(rowOfY(problem, token));
  return rows;
}

static std::vector<Row> outputsOf(LoraProblem &problem, int64_t token) {
  if (problem.op() == LoraOp::Shrink)
    return rowsOfS(problem, token);
  return {rowOfY(problem, token)};
}

static bool equal(const std::vector<Row> &a, const std::vector<Row> &b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](Row left, Row right) {
    return std::equal(left.begin(), left.end(), right.begin(), right.end());
  });
}

/// The default kernel of a case.
static KernelKey keyOf(const Case &item) {
  LoraShape shape = item.shape.completed(item.op);
  return KernelKey::of(item.op, shape, defaultConfig(item.op, shape));
}

static Case otherBatch(const BitwiseCheck &check, int64_t tokens) {
  Case other = check.base;
  other.shape.tokens = tokens;
  return other;
}

/// Tokens of the smaller batch in places of the larger one that are in no order. A smaller batch
/// than the base has tokens with an adapter alone.
static std::vector<SharedRow> shareRows(const LoraProblem &base, int64_t other) {
  // Coprime to the sizes of the batches, so that no place comes twice.
  constexpr int64_t step = 7;
  int64_t tokens = base.shape().tokens, larger = std::max(tokens, other);
  std::vector<SharedRow> rows;
  for (int64_t i = 0; i < larger && std::cmp_less(rows.size(), std::min(tokens, other)); ++i) {
    int64_t place = (i * step + 3) % larger;
    if (tokens <= other)
      rows.push_back({i, place});
    else if (base.mapping().tokenLora[size_t(place)] >= 0)
      rows.push_back({place, static_cast<int64_t>(rows.size())});
  }
  return rows;
}

static void compareConfigs(const BitwiseCheck &check, LoraProblem &problem, KernelFolder &kernels,
                           DeviceRunner &runner, uint64_t seed) {
  std::vector<std::byte> expected;
  for (const Config &config : check.configs) {
    Kernel &kernel = kernels.get(KernelKey::of(check.base.op, problem.shape(), config));
    problem.resetOutput();
    std::span<const std::byte> found = problem.output().bytes();
    if (expected.empty()) {
      // The same bits are worth nothing if they are not the right ones.
      Outcome outcome = measure(problem, kernel, runner, seed);
      if (!outcome.failure.empty())
        throw Error("config " + configText(config) + ": " + outcome.failure);
      expected.assign(found.begin(), found.end());
      continue;
    }
    runner.run(problem, kernel);
    auto difference = std::mismatch(expected.begin(), expected.end(), found.begin());
    if (difference.first != expected.end())
      throw Error("config " + configText(config) + ": expected the bits of config " +
                  configText(check.configs.front()) + ", found others at byte " +
                  std::to_string(difference.first - expected.begin()) + " of the output");
  }
}

static void compareBatch(const BitwiseCheck &check, int64_t tokens, LoraProblem &base,
                         KernelFolder &kernels, DeviceRunner &runner, uint64_t seed) {
  const LoraShape &shape = base.shape();
  Case other = otherBatch(check, tokens);
  std::vector<SharedRow> rows = shareRows(base, tokens);
  std::vector<int32_t> mapping = randomMapping(tokens, shape.maxLoras, 0.1, seed + 1);
  for (const SharedRow &row : rows)
    mapping[size_t(row.other)] = base.mapping().tokenLora[size_t(row.base)];
  // The same seed gives the same weights and scalings.
  LoraProblem problem(other.op, other.shape, mapping, seed);
  base.resetOutput();
  for (const SharedRow &row : rows) {
    std::vector<Row> from = inputsOf(base, row.base), to = inputsOf(problem, row.other);
    for (size_t i = 0; i < from.size(); ++i)
      std::copy(from[i].begin(), from[i].end(), to[i].begin());
  }
  runner.run(base, kernels.get(KernelKey::of(base.op(), shape, check.configs.front())));
  runner.run(problem, kernels.get(keyOf(other)));
  for (const SharedRow &row : rows)
    if (!equal(outputsOf(base, row.base), outputsOf(problem, row.other)))
      throw Error("batch of " + std::to_string(tokens) + " tokens, row " +
                  std::to_string(row.other) + ": expected the bits of row " +
                  std::to_string(row.base) + " in the batch of " + std::to_string(shape.tokens));
}

std::vector<KernelKey> BitwiseCheck::kernels() const {
  std::vector<KernelKey> keys;
  for (const Config &config : configs)
    keys.push_back(KernelKey::of(base.op, base.shape, config));
  for (int64_t tokens : otherBatches)
    keys.push_back(keyOf(otherBatch(*this, tokens)));
  return keys;
}

void accuracy::runBitwiseCheck(const BitwiseCheck &check, KernelFolder &kernels,
                               DeviceRunner &runner, uint64_t seed) {
  LoraProblem problem = check.base.problem(seed, nullptr);
  compareConfigs(check, problem, kernels, runner, seed);
  for (int64_t tokens : check.otherBatches)
    compareBatch(check, tokens, problem, kernels, runner, seed);
}
