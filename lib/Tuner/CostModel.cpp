//===- CostModel.cpp - Estimates of the time of a launch ------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Tuner/CostModel.h"

#include "lora/Support/Integers.h"
#include "lora/Support/ReductionTree.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

using namespace lora;
using namespace lora::tuner;

/// An estimate above this has been wrong for hardly any configuration: it spills.
static constexpr double kMostRegisters = 300;

static int64_t powerOfTwoAbove(int64_t value) {
  return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(std::max<int64_t>(value, 1))));
}

Tiling Tiling::of(const Config &config) {
  Tiling tiling;
  auto read = [&](const char *name, int64_t &value) {
    auto found = config.find(name);
    if (found != config.end())
      value = found->second;
  };
  read("BLOCK_M", tiling.m);
  read("BLOCK_N", tiling.n);
  read("BLOCK_K", tiling.k);
  read("SPLIT_K", tiling.splitK);
  read("SPLIT_N", tiling.splitN);
  read("PROGRAMS_N", tiling.programsN);
  read("WARPS", tiling.warps);
  read("WARPS_K", tiling.warpsK);
  read("STAGES", tiling.stages);
  read("RING", tiling.ring);
  read("MAX_RANK", tiling.maxRank);
  read("KEEP", tiling.keep);
  return tiling;
}

CostModel::CostModel(const TuneProblem &problem, const GpuFacts &gpu)
    : problem(problem), gpu(gpu), tokensPerAdapter(ceilDiv(problem.tokens, problem.adapters)) {
  for (int64_t blockM = 1; blockM <= 256; blockM *= 2)
    blockCounts.push_back(rowBlocks(problem, blockM));
}

int64_t CostModel::rowBlocksOf(int64_t blockM) const {
  size_t power = static_cast<size_t>(std::bit_width(static_cast<uint64_t>(blockM)) - 1);
  bool isKnown = std::has_single_bit(static_cast<uint64_t>(blockM)) && power < blockCounts.size();
  return isKnown ? blockCounts[power] : rowBlocks(problem, blockM);
}

int64_t CostModel::programs(const Tiling &tiling) const {
  int64_t share = problem.operation == Operation::Shrink
                      ? ceilDiv(problem.rank, tiling.n) * tiling.splitK
                  : problem.operation == Operation::Expand ? tiling.programsN
                                                           : tiling.splitN * tiling.splitK;
  return rowBlocksOf(tiling.m) * problem.slices() * share;
}

/// About the registers of a thread: those of accumulators and their partial sums, and of all else.
/// From what ptxas reported of some thousand configurations.
double CostModel::registersOf(const Tiling &tiling) const {
  double threads = double(32 * tiling.warps);
  int64_t maxRank = tiling.maxRank > 0 ? tiling.maxRank : powerOfTwoAbove(problem.rank);
  double expands = double(tiling.m * tiling.n) / threads;
  // Operands of two bytes each, of the blocks beyond the first.
  int64_t columns = problem.operation == Operation::Shrink ? tiling.n : maxRank;
  double ahead = tiling.inRing() ? 0
                                 : double(tiling.stages - 1) * double(tiling.warpsK * tiling.k) *
                                       double(tiling.m + columns) / 2 / threads;
  switch (problem.operation) {
  case Operation::Shrink:
    return 48 + ahead + 2 * double(tiling.m * tiling.n * tiling.warpsK) / threads;
  case Operation::Expand:
    // The weights of this step and of the next; the rows are in shared memory.
    if (tiling.keep != 0)
      return 60 + 2 * expands +
             double(tiling.k * std::max<int64_t>(tiling.n / tiling.warps, 32)) / 32;
    return 60 + expands * (maxRank <= 16 ? 2 : maxRank <= 32 ? 3.2 : maxRank <= 64 ? 3.8 : 5.2);
  default:
    return 60 + ahead + 2 * expands + 4 * double(tiling.m * maxRank * tiling.warpsK) / threads;
  }
}

/// The shared memory of a program, as the kernels' own constraints count it: a tile of the sum for
/// each of the programs that exchange parts, and beside these the tiles of the warps, or the
/// stages.
double CostModel::sharedBytesOf(const Tiling &tiling, int64_t columns) const {
  if (problem.operation == Operation::Expand)
    return double(tiling.keep * tiling.m * columns * 2);
  int64_t tile = tiling.m * columns * 4, warpTiles = tiling.warpsK * tile;
  int64_t stages =
      tiling.inRing() ? tiling.stages * tiling.warpsK * (tiling.m + columns) * tiling.k * 2 : 0;
  return double(tiling.splitK / 2 * 2 * tile + std::max(stages, warpTiles));
}

/// How many programs a multiprocessor holds at a time.
double CostModel::residentOf(const Tiling &tiling, double registers, double sharedBytes) {
  constexpr double mostThreads = 2048, allRegisters = 65536, allShared = 233472, reserved = 1024;
  double threads = double(32 * tiling.warps);
  return std::max(1.0,
                  std::floor(std::min({mostThreads / threads, allRegisters / (registers * threads),
                                       allShared / (sharedBytes + reserved)})));
}

double CostModel::floor() const { return problem.bytes() / gpu.memoryBandwidth * 1e6; }

/// Loads that a warp has under way at a time, in steps of a loop.
static double depth(const Tiling &tiling) {
  return tiling.inRing() ? double(tiling.stages) - 0.5 : 0.6 + double(tiling.stages);
}

double CostModel::estimate(const Tiling &shape) const {
  double rows = double(std::min<int64_t>(shape.m, tokensPerAdapter));
  double blocks = double(rowBlocksOf(shape.m) * problem.slices());
  int64_t maxRank = shape.maxRank > 0 ? shape.maxRank : powerOfTwoAbove(problem.rank);
  bool shrinks = problem.operation != Operation::Expand;
  int64_t columns = problem.operation == Operation::Shrink ? shape.n : maxRank;
  double usedColumns = double(std::min<int64_t>(columns, problem.rank));
  double cacheBytes = 0, chain = 0;
  auto addShrink = [&](double repeats) {
    double part = double(problem.hidden) / double(shape.splitK);
    double steps = std::ceil(part / double(shape.k * shape.warpsK));
    double tiles = std::ceil(double(problem.rank) / double(columns));
    cacheBytes += blocks * repeats * tiles * double(problem.hidden) * (rows + usedColumns) * 2;
    chain += gpu.latency * (1 + (steps - 1) / depth(shape));
    chain += gpu.clusterExchange * std::log2(double(shape.splitK));
  };
  auto addExpand = [&](double sharers) {
    double width = double(problem.totalWidth()) / double(problem.slices());
    double steps = std::ceil(width / (sharers * double(shape.n)));
    double rank = double(shrinks ? maxRank : problem.rank);
    cacheBytes += blocks * (width * (rank * 2 + rows * 4) + rows * rank * 4 * sharers);
    chain += gpu.latency * (1 + (steps - 1) / 1.6);
  };
  switch (problem.operation) {
  case Operation::Shrink:
    addShrink(1);
    break;
  case Operation::Expand:
    addExpand(double(shape.programsN));
    break;
  case Operation::ShrinkExpand:
    addShrink(double(shape.splitN));
    addExpand(double(shape.splitN * shape.splitK));
    break;
  }
  double registers = registersOf(shape);
  // Near the limit about half of them spill.
  double spills = registers > 245 ? 1.3 : 1;
  double resident = residentOf(shape, std::min(registers, 255.0), sharedBytesOf(shape, columns));
  double share = double(programs(shape)) / gpu.multiprocessors;
  double waves = std::ceil(share / resident);
  double memory = floor(), cache = cacheBytes / gpu.cacheBandwidth * 1e6;
  double products = problem.flops() / gpu.flops * 1e6 * double(shape.m) / rows;
  // Few programs cannot ask for all of the bandwidth.
  double moving = std::max({memory, cache, products}) / std::clamp(share, 0.02, 1.0);
  if (shrinks) {
    // Nor can multiprocessors with too few loads under way; latency grows where many are.
    constexpr double loaded = 1.5;
    double underWay = depth(shape) * double(shape.warpsK * shape.k) * 2 * (rows + usedColumns) *
                      std::min(resident, std::max(1.0, share));
    moving = std::max(moving, loaded * gpu.latency * cacheBytes / (gpu.multiprocessors * underWay));
  }
  // Programs start and end together, so that their waiting hardly overlaps with moving.
  return gpu.launch + spills * (moving + waves * chain);
}

const char *CostModel::uselessReason(const Tiling &shape) const {
  bool shrinks = problem.operation != Operation::Expand;
  if (registersOf(shape) > kMostRegisters)
    return "its tiles need more registers than a thread has";
  if (shape.m > 16 && shape.m >= 4 * powerOfTwoAbove(tokensPerAdapter))
    return "BLOCK_M is four times the tokens of an adapter, or more";
  if (problem.operation == Operation::Shrink && shape.n > 8 &&
      shape.n >= 2 * powerOfTwoAbove(problem.rank))
    return "BLOCK_N is larger than the rank needs";
  if (shrinks) {
    int64_t leaves = ReductionTree(problem.hidden).leaves();
    if (shape.splitK > 1 && shape.splitK > leaves)
      return "SPLIT_K leaves programs without a part of the sum";
    if (shape.warpsK > 1 && shape.splitK * shape.warpsK > 2 * leaves)
      return "WARPS_K leaves most warps without a part of the sum";
    int64_t steps = ceilDiv(problem.hidden, shape.k * shape.warpsK * shape.splitK);
    if (shape.stages > std::max<int64_t>(2, steps + 1))
      return "STAGES are more than a warp has steps";
  }
  int64_t sharers = problem.operation == Operation::Expand         ? shape.programsN
                    : problem.operation == Operation::ShrinkExpand ? shape.splitN * shape.splitK
                                                                   : 1;
  if (!problem.widths.empty() && problem.operation != Operation::Shrink) {
    int64_t widest = *std::max_element(problem.widths.begin(), problem.widths.end());
    int64_t blocks = ceilDiv(widest, shape.n);
    if (problem.operation == Operation::Expand && sharers > 1 &&
        sharers >= 2 * powerOfTwoAbove(blocks))
      return "PROGRAMS_N leaves programs without columns";
    if (problem.operation == Operation::ShrinkExpand && shape.splitN > 1 && sharers > 2 * blocks)
      return "SPLIT_N leaves most programs without columns";
    if (shape.n > 32 && shape.n >= 2 * powerOfTwoAbove(widest))
      return "BLOCK_N is larger than the slices";
  }
  // Waves of programs that share nothing but the start-up that each of them pays.
  constexpr int64_t mostWaves = 64;
  if ((shape.splitK > 1 || shape.splitN > 1 || shape.programsN > 1) &&
      programs(shape) > mostWaves * 16 * gpu.multiprocessors)
    return "a split makes more programs than the GPU can use";
  if (programs(shape) < gpu.multiprocessors / 8 && floor() > 4 * gpu.launch)
    return "too few programs to reach the bandwidth of the memory";
  return nullptr;
}

PrunedSpace tuner::prune(const std::vector<Tiling> &all, const TuneProblem &problem,
                         const GpuFacts &gpu) {
  CostModel model(problem, gpu);
  PrunedSpace result;
  std::vector<std::pair<double, size_t>> order;
  std::map<const char *, size_t> reasons;
  for (size_t i = 0; i < all.size(); ++i)
    if (const char *reason = model.uselessReason(all[i]))
      ++reasons[reason];
    else
      order.emplace_back(model.estimate(all[i]), i);
  for (auto [reason, count] : reasons)
    result.reasons[reason] += count;
  std::sort(order.begin(), order.end());
  for (auto [estimate, index] : order) {
    result.configs.push_back(index);
    result.estimates.push_back(estimate);
  }
  return result;
}
