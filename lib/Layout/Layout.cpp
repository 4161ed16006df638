//===- Layout.cpp - Layouts of tiles over threads ---------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Layout/Layout.h"

#include <algorithm>
#include <bit>

using namespace lora;

int32_t Layout::size(int dimension) const {
  int32_t total = 1;
  for (const auto *bases : {&registerBases, &laneBases, &warpBases})
    for (Basis basis : *bases)
      if (basis.dimension == dimension)
        total += basis.step;
  return total;
}

static void accumulate(Coordinates &coordinates, const std::vector<Basis> &bases, int number) {
  for (size_t bit = 0; bit < bases.size(); ++bit)
    if (number >> bit & 1)
      coordinates[bases[bit].dimension] += bases[bit].step;
}

Coordinates Layout::at(int reg, int lane, int warp) const {
  Coordinates coordinates = {0, 0};
  accumulate(coordinates, registerBases, reg);
  accumulate(coordinates, laneBases, lane);
  accumulate(coordinates, warpBases, warp);
  return coordinates;
}

std::optional<int> Layout::registerAt(Coordinates offset) const {
  int reg = 0;
  for (size_t bit = 0; bit < registerBases.size(); ++bit) {
    Basis basis = registerBases[bit];
    if (basis.step != 0 && (offset[basis.dimension] & basis.step)) {
      reg |= 1 << bit;
      offset[basis.dimension] -= basis.step;
    }
  }
  return offset == Coordinates{0, 0} ? std::optional(reg) : std::nullopt;
}

int Layout::contiguousRegisters(int dimension) const {
  int count = 1;
  for (Basis basis : registerBases) {
    if (basis != Basis{dimension, count})
      break;
    count *= 2;
  }
  return count;
}

/// The bases with those of the dropped dimension set to zero, or left out.
static std::vector<Basis> project(const std::vector<Basis> &bases, int kept, bool keepZeros) {
  std::vector<Basis> result;
  for (Basis basis : bases) {
    bool stays = basis.dimension == kept && basis.step != 0;
    if (stays)
      result.push_back({0, basis.step});
    else if (keepZeros)
      result.push_back({0, 0});
  }
  return result;
}

Layout Layout::slice(int kept) const {
  return Layout(1, project(registerBases, kept, false), project(laneBases, kept, true),
                project(warpBases, kept, true));
}

std::vector<int> Layout::registersInSlice(int kept) const {
  Layout sliced = slice(kept);
  std::vector<int> result(numRegisters());
  for (int reg = 0; reg < numRegisters(); ++reg)
    result[reg] = *sliced.registerAt({at(reg)[kept], 0});
  return result;
}

Layout lora::blockedLayout(std::span<const int32_t> shape, int contiguous, int vector, int warps,
                           int sharingWarps) {
  int rank = static_cast<int>(shape.size());
  std::vector<Basis> order; // Bits of the tile, those that vary fastest first.
  for (int32_t step = 1; step < shape[contiguous]; step *= 2)
    order.push_back({contiguous, step});
  if (rank == 2)
    for (int32_t step = 1; step < shape[1 - contiguous]; step *= 2)
      order.push_back({1 - contiguous, step});

  size_t next = 0;
  auto take = [&](int bits) {
    std::vector<Basis> bases;
    for (int bit = 0; bit < bits; ++bit)
      bases.push_back(next < order.size() ? order[next++] : Basis{0, 0});
    return bases;
  };
  int vectorBits = std::countr_zero(static_cast<unsigned>(std::min(vector, shape[contiguous])));
  std::vector<Basis> registers = take(vectorBits);
  std::vector<Basis> lanes = take(Layout::kLaneBits);
  std::vector<Basis> warpBases =
      take(std::countr_zero(static_cast<unsigned>(warps / sharingWarps)));
  for (int bit = 0; bit < std::countr_zero(static_cast<unsigned>(sharingWarps)); ++bit)
    warpBases.push_back({0, 0});
  registers.insert(registers.end(), order.begin() + next, order.end());
  return Layout(rank, registers, lanes, warpBases);
}

Layout lora::spreadLayout(std::span<const int32_t> shape, int most, int warps) {
  int elements = 1;
  for (int32_t size : shape)
    elements *= size;
  int share = elements / (warps << Layout::kLaneBits);
  return blockedLayout(shape, static_cast<int>(shape.size()) - 1, std::clamp(share, 1, most), warps,
                       1);
}
