//===- ClusterBarrier.h - The barrier of a cluster ------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "Clock.h"

#include <vector>

namespace lora::emulator {

struct Warp;

/// What simt.cluster_arrive and simt.cluster_wait have told each other. A phase ends when every
/// warp has arrived in it or has returned. A warp that waited may arrive in the next phase while
/// others have still to wait for this one; that one cannot end before they did.
class ClusterBarrier {
public:
  /// A cluster of `warps` warps begins.
  void start(uint32_t warps);

  /// All lanes of `warp` are at an arrive. Throws Error when it did not wait since its last one.
  /// Returns the warps that wait no longer.
  std::vector<Warp *> arrive(Warp &warp, bool releases);

  /// All lanes of `warp` are at a wait. Throws Error when it did not arrive before. Returns whether
  /// it passes at once.
  bool wait(Warp &warp);

  /// All lanes of `warp` have returned, which counts as having arrived, but releases nothing.
  /// Returns the warps that wait no longer.
  std::vector<Warp *> leave(Warp &warp);

private:
  std::vector<Warp *> endPhaseIfComplete();
  void pass(Warp &warp) const;

  /// The phase that goes on, its warps that are to come, and what those that came released.
  uint32_t phase = 0;
  uint32_t missing = 0;
  ReleaseClock gathered;
  /// What the last complete phase released.
  SharedClock released;
  /// Warps that have not returned.
  uint32_t running = 0;
  std::vector<Warp *> waiting;
};

} // namespace lora::emulator
