//===- GraphTimer.cpp - Times of short device work ------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Measure/GraphTimer.h"

#include "lora/Support/Error.h"

#include <algorithm>
#include <optional>

using namespace lora;

namespace {

/// As many replays get even the slowest candidates.
constexpr unsigned fewestReplays = 5;

/// The repeated calls of one candidate.
class Work {
public:
  Work(std::span<const DeviceCall> calls, unsigned count, bool useGraph, Stream &stream)
      : calls(calls), count(count) {
    for (const DeviceCall &call : calls.first(std::min<size_t>(calls.size(), 2)))
      call(stream);
    stream.synchronize();
    if (useGraph)
      graph.emplace(stream, [&] { callAll(stream); });
  }

  void run(Stream &stream) const {
    if (graph)
      graph->launch(stream);
    else
      callAll(stream);
  }

private:
  void callAll(Stream &stream) const {
    for (unsigned i = 0; i < count; ++i)
      calls[i % calls.size()](stream);
  }

  std::span<const DeviceCall> calls;
  unsigned count;
  std::optional<Graph> graph;
};

} // namespace

GraphTimer::GraphTimer(Stream stream, Options options)
    : work(std::move(stream)), settings(options) {
  if (settings.calls == 0 || settings.replays == 0)
    throw Error("timer of " + std::to_string(settings.calls) + " calls and " +
                std::to_string(settings.replays) + " replays: expected at least one of each");
}

Timing GraphTimer::time(std::span<const DeviceCall> calls) {
  return measure(std::span(&calls, 1), settings.replays, settings.warmups).front();
}

Timing GraphTimer::roughTime(std::span<const DeviceCall> calls, unsigned replays) {
  return measure(std::span(&calls, 1), replays, 1).front();
}

std::vector<Timing> GraphTimer::timeInTurns(std::span<const std::vector<DeviceCall>> candidates) {
  std::vector<std::span<const DeviceCall>> spans(candidates.begin(), candidates.end());
  return measure(spans, settings.replays, settings.warmups);
}

std::vector<Timing> GraphTimer::measure(std::span<const std::span<const DeviceCall>> candidates,
                                        unsigned replays, unsigned warmups) {
  std::vector<Work> works;
  for (std::span<const DeviceCall> calls : candidates) {
    if (calls.empty())
      throw Error("timer: found no call, expected one for each set of arguments");
    works.emplace_back(calls, settings.calls, settings.useGraph, work);
  }
  Event begin(work.device()), end(work.device());
  auto replay = [&](const Work &candidate) {
    begin.record(work);
    candidate.run(work);
    end.record(work);
    end.synchronize();
    return end.millisecondsSince(begin) * 1000.0;
  };
  std::vector<std::vector<double>> samples(works.size());
  double slowest = 0;
  auto replayAll = [&](bool counts) {
    for (size_t i = 0; i < works.size(); ++i) {
      double took = replay(works[i]);
      slowest = std::max(slowest, took);
      if (counts)
        samples[i].push_back(took / settings.calls);
    }
  };
  for (unsigned i = 0; i < warmups; ++i) {
    replayAll(false);
    // The first replay tells how long the others would take.
    if (slowest * (warmups + replays) > settings.longest)
      break;
  }
  if (slowest * replays > settings.longest)
    replays = std::max(std::min(replays, fewestReplays),
                       static_cast<unsigned>(settings.longest / slowest));
  for (unsigned i = 0; i < replays; ++i)
    replayAll(true);
  std::vector<Timing> timings;
  for (const std::vector<double> &times : samples)
    timings.push_back(Timing::of(times));
  return timings;
}
