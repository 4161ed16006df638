//===- CostModel.h - Estimates of the time of a launch --------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "lora/Dispatch/DefaultConfig.h"
#include "lora/Tuner/Problem.h"
#include "lora/Tuner/Space.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace lora::tuner {

/// What estimates need to know of a GPU.
struct GpuFacts {
  int multiprocessors = 132;
  /// Bytes a second: of memory, as a large copy reaches them, and of the L2 cache.
  double memoryBandwidth = 4.2e12, cacheBandwidth = 8e12;
  /// Products on tensor cores, in multiply-adds times two a second.
  double flops = 6e14;
  /// Microseconds: of a launch in a graph, of a dependent load from memory, and of exchanging
  /// partial sums among each factor of two of programs in a cluster.
  double launch = 1.7, latency = 0.5, clusterExchange = 0.75;
};

/// The values of the parameters whose names have a meaning by convention: BLOCK_M, BLOCK_N,
/// BLOCK_K, SPLIT_K, SPLIT_N, PROGRAMS_N, WARPS, WARPS_K, STAGES, RING, KEEP and MAX_RANK. A
/// kernel without one of them has a neutral value; a parameter of another name counts for nothing,
/// and is left to the search.
struct Tiling {
  int64_t m = 16, n = 64, k = 64, splitK = 1, splitN = 1, programsN = 1, warps = 4, warpsK = 1,
          stages = 1, ring = 1, keep = 0;
  /// 0 for what the rank of a problem needs.
  int64_t maxRank = 0;

  static Tiling of(const Config &config);

  /// Whether stages are in shared memory rather than in registers.
  bool inRing() const { return stages > 1 && ring != 0; }
};

/// Estimates the time of a configuration, and says which are not worth compiling.
class CostModel {
public:
  CostModel(const TuneProblem &problem, const GpuFacts &gpu);

  /// Microseconds.
  double estimate(const Tiling &tiling) const;

  /// Why a configuration cannot be among the best, or null.
  const char *uselessReason(const Tiling &tiling) const;

  /// The bytes that must move over the bandwidth of the memory, in microseconds.
  double floor() const;

private:
  int64_t rowBlocksOf(int64_t blockM) const;
  int64_t programs(const Tiling &tiling) const;
  double registersOf(const Tiling &tiling) const;
  double sharedBytesOf(const Tiling &tiling, int64_t columns) const;
  static double residentOf(const Tiling &tiling, double registers, double sharedBytes);

  TuneProblem problem;
  GpuFacts gpu;
  int64_t tokensPerAdapter;
  /// For block sizes of 2^i.
  std::vector<int64_t> blockCounts;
};

/// A space without the configurations that are not worth compiling for a problem.
struct PrunedSpace {
  /// The rest, as indices, best estimate first; equals stay in the order of the space.
  std::vector<size_t> configs;
  /// Microseconds, for each of these.
  std::vector<double> estimates;
  /// Why the others were left out, and how many.
  std::map<std::string, size_t> reasons;
};

PrunedSpace prune(const std::vector<Tiling> &all, const TuneProblem &problem, const GpuFacts &gpu);

} // namespace lora::tuner
