//===- GraphTimer.h - Times of short device work --------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "lora/Measure/Timing.h"
#include "lora/Runtime/Driver.h"

#include <functional>
#include <span>
#include <vector>

namespace lora {

/// Gives work to a stream without waiting for it, for one set of arguments.
using DeviceCall = std::function<void(Stream &)>;

/// Times work that is too short to be timed alone.
///
/// The calls are captured into one CUDA graph, round and round the sets of arguments, so that
/// neither the host nor the caches help; the time of a replay over the number of calls is the time
/// of a call. Launch overhead of the host is not in it, the gap between dependent launches is.
/// Times are in microseconds. Not thread-safe.
class GraphTimer {
public:
  struct Options {
    /// Calls in a graph, or between two events without one. Above zero.
    unsigned calls = 32;
    /// Replays that count. Above zero.
    unsigned replays = 15;
    /// Replays before those.
    unsigned warmups = 3;
    /// Microseconds that the replays of a candidate may take together: longer ones get fewer, but
    /// no fewer than 5.
    double longest = 300'000;
    /// Without graphs, the overhead of the host is in the times.
    bool useGraph = true;
  };

  explicit GraphTimer(Stream stream) : GraphTimer(std::move(stream), Options()) {}
  /// Throws Error if there are no calls or no replays.
  GraphTimer(Stream stream, Options options);

  const Options &options() const { return settings; }
  Stream &stream() { return work; }

  /// The time of a call; `calls` has one for each set of arguments. The first two run once before
  /// the capture, since the first launch of a kernel may load it. Throws Error if there is no call,
  /// and what the calls throw.
  Timing time(std::span<const DeviceCall> calls);

  /// As time() with another number of replays and one warm-up, to choose candidates by.
  Timing roughTime(std::span<const DeviceCall> calls, unsigned replays = 3);

  /// Times several candidates in turns, one replay of each at a time, so that a change of the
  /// clocks hits all of them. `candidates` has the calls of each.
  std::vector<Timing> timeInTurns(std::span<const std::vector<DeviceCall>> candidates);

private:
  std::vector<Timing> measure(std::span<const std::span<const DeviceCall>> candidates,
                              unsigned replays, unsigned warmups);

  Stream work;
  Options settings;
};

} // namespace lora
