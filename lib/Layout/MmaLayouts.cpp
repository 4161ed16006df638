//===- MmaLayouts.cpp - Layouts of the operands of mma.sync -----------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Layout/MmaLayouts.h"

#include <algorithm>
#include <bit>
#include <set>

using namespace lora;

static constexpr int kRow = 0, kColumn = 1;

static void append(std::vector<Basis> &bases, int dimension, int from, int below) {
  for (int step = from; step < below; step *= 2)
    bases.push_back({dimension, step});
}

static void appendZeros(std::vector<Basis> &bases, int count) {
  for (int i = 1; i < count; i *= 2)
    bases.push_back({0, 0});
}

/// Columns that one warp's fragments take together: each lane gets a quarter of them, in a row.
/// With 32, these are 16 bytes of a 16-bit type.
static constexpr int kColumnGroup = 32;

static int columnGroup(const MmaTile &tile) {
  return std::clamp(tile.n / tile.warpsN, 8, kColumnGroup);
}

std::string MmaTile::problem() const {
  auto check = [](const char *what, int size, int warps, int least) -> std::string {
    if (std::has_single_bit(static_cast<unsigned>(size)) && size >= least * warps)
      return "";
    return "expected a power of two of at least " + std::to_string(least * warps) + " " + what +
           (warps > 1 ? " for " + std::to_string(warps) + " warps" : "") + ", got " +
           std::to_string(size);
  };
  for (std::string text : {check("rows", m, warpsM, 16), check("columns", n, warpsN, 8),
                           check("elements along k", k, 1, 16)})
    if (!text.empty())
      return text;
  return "";
}

void lora::shareWarps(MmaTile &tile, int warps, WarpOrder order) {
  int mostM = std::min(warps, std::max(1, tile.m / 16));
  int mostN = std::min(warps, std::max(1, tile.n / 8));
  auto read = [&](int warpsM) { return tile.m / warpsM + tile.n * warpsM / warps; };
  tile.warpsM = mostM;
  if (order == WarpOrder::ColumnsFirst)
    tile.warpsM = std::min(mostM, warps / std::min(warps, std::max(1, tile.n / kColumnGroup)));
  else if (order == WarpOrder::LeastTraffic)
    for (int warpsM = mostM / 2; warpsM >= 1 && warps / warpsM <= mostN; warpsM /= 2)
      if (read(warpsM) < read(tile.warpsM))
        tile.warpsM = warpsM;
  tile.warpsN = warps / tile.warpsM;
}

Layout MmaTile::lhs() const {
  std::vector<Basis> registers, lanes, warps;
  append(registers, kColumn, 1, kVector());
  append(registers, kColumn, 4 * kVector(), k);
  append(registers, kRow, 8, 16);
  append(registers, kRow, 16 * warpsM, m);
  append(lanes, kColumn, kVector(), 4 * kVector());
  append(lanes, kRow, 1, 8);
  append(warps, kRow, 16, 16 * warpsM);
  appendZeros(warps, warpsN * warpsK);
  return Layout(2, registers, lanes, warps);
}

// Column 2t + i of the n8 tile j is column (group / 4) * t + 2j + i of the group.
Layout MmaTile::rhs() const {
  int group = columnGroup(*this);
  std::vector<Basis> registers, lanes, warps;
  append(registers, kRow, 1, kVector());
  append(registers, kRow, 4 * kVector(), k);
  append(registers, kColumn, 2, group / 4);
  append(registers, kColumn, group * warpsN, n);
  append(lanes, kRow, kVector(), 4 * kVector());
  append(lanes, kColumn, 1, 2);
  append(lanes, kColumn, group / 4, group);
  appendZeros(warps, warpsM);
  append(warps, kColumn, group, group * warpsN);
  appendZeros(warps, warpsK);
  return Layout(2, registers, lanes, warps);
}

Layout MmaTile::accumulator() const {
  int group = columnGroup(*this);
  std::vector<Basis> registers, lanes, warps;
  append(registers, kColumn, 1, group / 4);
  append(registers, kRow, 8, 16);
  append(registers, kColumn, group * warpsN, n);
  append(registers, kRow, 16 * warpsM, m);
  append(lanes, kColumn, group / 4, group);
  append(lanes, kRow, 1, 8);
  append(warps, kRow, 16, 16 * warpsM);
  append(warps, kColumn, group, group * warpsN);
  appendZeros(warps, warpsK);
  return Layout(2, registers, lanes, warps);
}

/// The distinct contributions of registers to a coordinate whose bits in `fragment` are clear.
static std::set<int> fragmentOrigins(const Layout &layout, int dimension, int fragment) {
  std::set<int> origins;
  for (int reg = 0; reg < layout.numRegisters(); ++reg)
    origins.insert(layout.at(reg)[dimension] & ~fragment);
  return origins;
}

std::vector<MmaFragments> lora::mmaInstructions(const Layout &lhs, const Layout &rhs,
                                                const Layout &accumulator, int depth) {
  // A lane supplies depth / 4 elements of k: consecutive pairs of a 16-bit type, or single tf32.
  int perLane = depth / 4;
  int pair = depth == 16 ? 2 : 1;
  std::vector<MmaFragments> instructions;
  for (int k : fragmentOrigins(lhs, kColumn, perLane - 1))
    for (int m : fragmentOrigins(accumulator, kRow, 8))
      for (int n : fragmentOrigins(accumulator, kColumn, 1)) {
        MmaFragments fragments;
        for (int half = 0; half < perLane; half += pair) {
          for (int row : {m, m + 8})
            for (int i = 0; i < pair; ++i)
              fragments.lhs.push_back(*lhs.registerAt({row, k + half + i}));
          for (int i = 0; i < pair; ++i)
            fragments.rhs.push_back(*rhs.registerAt({k + half + i, n}));
        }
        for (int i = 0; i < 4; ++i)
          fragments.accumulator[i] = *accumulator.registerAt({m + (i & 2) * 4, n + (i & 1)});
        instructions.push_back(fragments);
      }
  return instructions;
}
