# Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Timing of short device work, the same for every implementation.

The calls under test are captured into one CUDA graph, over rotating arguments, so that neither the
host nor the caches help; the time of a replay over the number of calls is the time of a call. Calls
so long that the replays would take more than a third of a second get fewer of them.
"""

import statistics

import torch

from lora_tile.errors import Error


def require_gpu():
    """The properties of the GPU in use; Error without one."""
    if not torch.cuda.is_available():
        raise Error("found no GPU that torch can use, expected one; --dry-run needs none")
    return torch.cuda.get_device_properties(torch.cuda.current_device())


# Microseconds that the replays of one measurement may take together, and the least number of them.
LONGEST_MEASUREMENT = 300_000
FEWEST_REPLAYS = 5


class Clock:
    """Times calls; each is a function of a stream handle, one for each set of arguments."""

    def __init__(self, calls_in_graph=32, replays=15, use_graph=True):
        self.calls_in_graph = calls_in_graph
        self.replays = replays
        self.use_graph = use_graph
        self.stream = torch.cuda.Stream()
        self.begin = torch.cuda.Event(enable_timing=True)
        self.end = torch.cuda.Event(enable_timing=True)

    def _captured(self, calls, count):
        """A function that runs `count` calls, going round `calls`."""
        handle = self.stream.cuda_stream

        def run():
            for i in range(count):
                calls[i % len(calls)](handle)

        # The first calls compile and load what they need, which no capture allows.
        for call in calls[:2]:
            call(handle)
        self.stream.synchronize()
        if not self.use_graph:
            return run
        graph = torch.cuda.CUDAGraph()
        # torch.cuda.graph would also empty the allocator's cache, hundreds of times a case.
        graph.capture_begin()
        run()
        graph.capture_end()
        return graph.replay

    def _replay(self, run):
        """Milliseconds of a replay."""
        self.begin.record(self.stream)
        run()
        self.end.record(self.stream)
        self.end.synchronize()
        return self.begin.elapsed_time(self.end)

    def samples(self, calls):
        """Microseconds of a call, one value for each replay."""
        with torch.cuda.stream(self.stream):
            run = self._captured(calls, self.calls_in_graph)
            took = self._replay(run) * 1000
            replays = self.replays
            if took * replays > LONGEST_MEASUREMENT:
                fewest = min(self.replays, FEWEST_REPLAYS)
                replays = max(fewest, int(LONGEST_MEASUREMENT / took))
            else:
                for _ in range(2):
                    self._replay(run)
            return [self._replay(run) * 1000 / self.calls_in_graph for _ in range(replays)]

    def rough(self, calls, replays=1):
        """Microseconds of a call from few replays of one call a set, to choose candidates by."""
        with torch.cuda.stream(self.stream):
            run = self._captured(calls, len(calls))
            self._replay(run)
            times = [self._replay(run) for _ in range(replays)]
        return statistics.median(times) * 1000 / len(calls)

    def in_turns(self, lists, count, replays):
        """Microseconds of a call, `replays` values for each list of calls.

        Each gets a graph of `count` calls. These run in turns, so that a clock or a temperature that
        changes does so for all of them.
        """
        with torch.cuda.stream(self.stream):
            runs = [self._captured(calls, count) for calls in lists]
            for run in runs:
                self._replay(run)
            turns = [[self._replay(run) * 1000 / count for run in runs] for _ in range(replays)]
        return list(zip(*turns))

    def measure(self, calls):
        """The fields us, low and high of a result."""
        samples = sorted(self.samples(calls))
        low, _, high = statistics.quantiles(samples, n=4) if len(samples) > 1 else samples * 3
        return {"us": statistics.median(samples), "low": low, "high": high}


def copy_bandwidth(clock, size=2 * 10**9):
    """Bytes read and written per second by a large copy on the device."""
    free, _ = torch.cuda.mem_get_info()
    size = min(size, free // 4)
    source = torch.randint(0, 256, (size,), dtype=torch.uint8, device="cuda")
    target = torch.empty_like(source)
    events = []
    for _ in range(clock.replays + 3):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        target.copy_(source)
        end.record()
        end.synchronize()
        events.append(begin.elapsed_time(end))
    return 2 * size / (statistics.median(events[3:]) / 1000)
