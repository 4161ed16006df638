//===- TargetFacts.cpp - What the compiler knows about each GPU ----------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Target/TargetFacts.h"

#include "lora/Support/Error.h"

#include <algorithm>
#include <string>

using namespace lora;

static constexpr unsigned kKiB = 1024;

static constexpr TargetFacts kTargets[] = {
    {"sm_80", 83, 163 * kKiB, 164 * kKiB, 2048, 32, 1},
    {"sm_86", 83, 99 * kKiB, 100 * kKiB, 1536, 16, 1},
    {"sm_89", 83, 99 * kKiB, 100 * kKiB, 1536, 24, 1},
    {"sm_90a", 83, 227 * kKiB, 228 * kKiB, 2048, 32, 16},
    {"sm_100a", 86, 227 * kKiB, 228 * kKiB, 2048, 32, 16},
    {"sm_120a", 87, 99 * kKiB, 100 * kKiB, 1536, 24, 8},
};

std::span<const TargetFacts> lora::allTargets() { return kTargets; }

const TargetFacts &lora::findTarget(std::string_view name) {
  for (const TargetFacts &target : kTargets)
    if (target.name == name)
      return target;
  std::string known;
  for (const TargetFacts &target : kTargets)
    known += (known.empty() ? "" : ", ") + std::string(target.name);
  throw Error("unknown architecture '" + std::string(name) + "': expected one of " + known);
}

unsigned TargetFacts::occupancy(unsigned threads, unsigned registers, unsigned sharedBytes) const {
  // Registers are given to warps in units of 256, by the quarter of the multiprocessor that a warp
  // runs on. Shared memory is given to blocks in units of 128 bytes.
  constexpr unsigned kQuarters = 4;
  unsigned warps = (threads + 31) / 32;
  unsigned registersPerWarp = (registers * 32 + 255) / 256 * 256;
  unsigned shared = (sharedBytes + kReservedSharedBytes + 127) / 128 * 128;
  unsigned blocks = std::min(blocksPerSM, threadsPerSM / (warps * 32));
  if (registersPerWarp != 0)
    blocks = std::min(blocks, kRegistersPerSM / kQuarters / registersPerWarp * kQuarters / warps);
  return std::min(blocks, sharedBytesPerSM / shared);
}
