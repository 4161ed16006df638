//===- Layout.h - Layouts of tiles over threads -----------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// A layout says which elements of a tile each thread holds, and in which of its registers. It is a
// linear map over bits, after "Linear Layouts: Robust Code Generation of Efficient Tensor
// Computation Using F2" (Zhou et al., 2025): every bit of the register, lane and warp number has a
// basis vector of coordinates, and the element at a place is the sum of the vectors of its bits.
// Here each vector is zero or has a single power of two in a single dimension, which is all that
// fragments and blocked accesses need, and makes "sum" and "exclusive or" the same.
//
//===----------------------------------------------------------------------===//

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lora {

/// Element coordinates of a tile of rank 1 or 2; the second is 0 in a tile of rank 1.
using Coordinates = std::array<int32_t, 2>;

/// The contribution of one bit to the coordinates. Zero marks a bit that does not matter.
struct Basis {
  int dimension = 0;
  int32_t step = 0; ///< Zero or a power of two.

  bool operator==(const Basis &) const = default;
};

class Layout {
public:
  static constexpr int kLaneBits = 5;

  Layout(int rank, std::vector<Basis> registers, std::vector<Basis> lanes, std::vector<Basis> warps)
      : tileRank(rank), registerBases(std::move(registers)), laneBases(std::move(lanes)),
        warpBases(std::move(warps)) {}

  int rank() const { return tileRank; }
  const std::vector<Basis> &registers() const { return registerBases; }
  const std::vector<Basis> &lanes() const { return laneBases; }
  const std::vector<Basis> &warps() const { return warpBases; }

  /// Elements that a thread holds.
  int numRegisters() const { return 1 << registerBases.size(); }

  /// Size of the tile that the layout covers along a dimension.
  int32_t size(int dimension) const;

  /// The element in a register of a thread.
  Coordinates at(int reg, int lane = 0, int warp = 0) const;

  /// What a register adds to the coordinates of its thread.
  Coordinates ofRegister(int reg) const { return at(reg); }

  /// The register whose contribution to the coordinates is `offset`, if there is one.
  std::optional<int> registerAt(Coordinates offset) const;

  /// How many consecutive elements along `dimension` registers 0, 1, 2, ... hold, up to the first
  /// register that goes elsewhere.
  int contiguousRegisters(int dimension) const;

  /// The layout of a tile of rank 1 that is repeated along dimension `1 - kept` to give a tile of
  /// this layout; each thread holds the elements that it needs, each once.
  Layout slice(int kept) const;

  /// For each register of this layout, the register of `slice(kept)` with the same coordinate.
  std::vector<int> registersInSlice(int kept) const;

  bool operator==(const Layout &) const = default;

private:
  int tileRank;
  std::vector<Basis> registerBases, laneBases, warpBases;
};

/// A layout in which each thread holds `vector` consecutive elements along dimension
/// `contiguous`, neighbouring lanes hold neighbouring vectors, and what lanes and warps do not
/// cover goes to registers. Warp bits from `sharingWarps` on are zero: those warps hold the same.
/// All sizes are powers of two.
Layout blockedLayout(std::span<const int32_t> shape, int contiguous, int vector, int warps,
                     int sharingWarps);

/// A blocked layout in which every thread of `warps` warps holds its share of a tile, rows first,
/// in vectors of up to `most` elements.
Layout spreadLayout(std::span<const int32_t> shape, int most, int warps);

} // namespace lora
