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
  std::vector<std::vector<double>> samples(works.size());
  for (unsigned replay = 0; replay < warmups + replays; ++replay) {
    for (size_t i = 0; i < works.size(); ++i) {
      begin.record(work);
      works[i].run(work);
      end.record(work);
      end.synchronize();
      if (replay >= warmups)
        samples[i].push_back(end.millisecondsSince(begin) * 1000.0 / settings.calls);
    }
  }
  std::vector<Timing> timings;
  for (const std::vector<double> &times : samples)
    timings.push_back(Timing::of(times));
  return timings;
}
