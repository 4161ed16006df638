# Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Timing of short device work, the same for every implementation.

The calls under test are captured into one CUDA graph, over rotating arguments, so that neither the
host nor the caches help; the time of a replay over the number of calls is the time of a call.
"""

import statistics

import torch

from lora_tile.errors import Error


def require_gpu():
    """The properties of the GPU in use; Error without one."""
    if not torch.cuda.is_available():
        raise Error("found no GPU that torch can use, expected one; --dry-run needs none")
    return torch.cuda.get_device_properties(torch.cuda.current_device())


class Clock:
    """Times calls; each is a function of a stream handle, one for each set of arguments."""

    def __init__(self, calls_in_graph=32, replays=15, use_graph=True):
        self.calls_in_graph = calls_in_graph
        self.replays = replays
        self.use_graph = use_graph
        self.stream = torch.cuda.Stream()

    def samples(self, calls, replays=None):
        """Microseconds of a call, one value for each replay."""
        replays = replays or self.replays
        handle = self.stream.cuda_stream
        count = self.calls_in_graph
        with torch.cuda.stream(self.stream):
            # The first calls compile and load what they need, which no capture allows.
            for call in calls[:2]:
                call(handle)
            self.stream.synchronize()
            if self.use_graph:
                graph = torch.cuda.CUDAGraph()
                # torch.cuda.graph would also empty the allocator's cache, hundreds of times a case.
                graph.capture_begin()
                for i in range(count):
                    calls[i % len(calls)](handle)
                graph.capture_end()
                run = graph.replay
            else:

                def run():
                    for i in range(count):
                        calls[i % len(calls)](handle)

            events = [
                (torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True))
                for _ in range(replays)
            ]
            for _ in range(1 if replays < self.replays else 3):
                run()
            for begin, end in events:
                begin.record(self.stream)
                run()
                end.record(self.stream)
                end.synchronize()
        return [begin.elapsed_time(end) * 1000 / count for begin, end in events]

    def rough(self, calls):
        """Microseconds of a call from three replays, to choose candidates by."""
        return statistics.median(self.samples(calls, 3))

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
