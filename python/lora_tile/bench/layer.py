# Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a pair adds between two products, as in a layer.

A call is y = x W^T, the pair, which adds to y, and z = y V^T, all in one CUDA graph. The time of the
same calls without the pair is taken away. The configurations that are fastest alone are timed again
here, where others may win, since the pair finds x and y in the caches, and other kernels around it.
"""

import statistics

import torch

from lora_tile.bench.arguments import DTYPES, LIMITS
from lora_tile.bench.cases import ELEMENT_BYTES
from lora_tile.bench.measure import Bench, Candidate
from lora_tile.errors import Error

# Bytes of the weights to rotate over.
WEIGHT_BYTES = 2 * 10**9
# Microseconds that a replay may take, and the least number of calls in it.
LONGEST_REPLAY = 5_000
FEWEST_CALLS = 4
# Replays of each configuration by which an implementation chooses.
CHOOSING_REPLAYS = 3


class Layer:
    """The products around a pair, and their weights, which rotate as the sets of a pool do."""

    def __init__(self, case, pool, reference):
        self.case = case
        self.pool = pool
        self.reference = reference
        dtype = DTYPES[case.dtype]

        def random(rows, columns):
            return torch.randn(rows, columns, dtype=dtype, device="cuda").mul_(columns**-0.5)

        size = 2 * case.hidden * case.y_width * ELEMENT_BYTES[case.dtype]
        self.weights = [
            (random(case.y_width, case.hidden), random(case.hidden, case.y_width))
            for _ in range(max(2, min(len(pool), WEIGHT_BYTES // size)))
        ]
        self.z = torch.empty(case.tokens, case.hidden, dtype=dtype, device="cuda")

    def calls(self, pairs=None):
        """A call of the layer for each set of arguments; `pairs` has the pair's, or is left out."""

        def bind(i, arguments):
            first, second = self.weights[i % len(self.weights)]

            def call(handle):
                torch.mm(arguments.x, first.T, out=arguments.y)
                if pairs:
                    pairs[i](handle)
                torch.mm(arguments.y, second.T, out=self.z)

            return call

        return [bind(i, arguments) for i, arguments in enumerate(self.pool)]

    def error(self, calls, clock):
        """The relative error of y after a replay of `calls`; inf where it is not finite."""
        arguments, reference = self.pool[0], self.reference
        rows, offset = reference.rows, self.case.offset
        added = reference.y_of_x - reference.y_before[rows, offset:].double()
        base = torch.mm(arguments.x, self.weights[0][0].T)
        expected = base[rows, offset:].double() + added
        arguments.s_out.fill_(float("nan"))
        arguments.y.fill_(float("nan"))
        torch.cuda.synchronize()
        # Two calls, so that each also runs behind one that has the pair.
        clock.rough(calls[:2])
        torch.cuda.synchronize()
        if not bool(arguments.y.isfinite().all()):
            return float("inf")
        out = arguments.y[rows, offset:].double()
        return ((out - expected).norm() / expected.norm()).item()


class Entry:
    """A configuration of an implementation, with the layer's calls; `count` is among how many it
    was chosen."""

    def __init__(self, impl, candidate, count, calls):
        self.impl = impl
        self.candidate = candidate
        self.count = count
        self.calls = calls
        self.error = None


class LayerBench(Bench):
    """Measures the pair alone, as Bench does, and then, as op "layer", between two products."""

    def run(self, case):
        self.entries = []
        self.bound = None
        results = super().run(case)
        self._race()
        del self.entries, self.layer, self.bound
        return results + [result for result in self.results if result["op"] == "layer"]

    def _pair(self):
        self.layer = Layer(self.case, self.pool, self.reference)
        super()._pair()

    def _calls(self, bind, dependent=False):
        self.bound = super()._calls(bind, dependent)
        return self.bound

    def _enter(self, impl, candidate, count, pairs):
        self.entries.append(Entry(impl, candidate, count, self.layer.calls(pairs)))

    def _best(self, op, impl, finalists, dependent, count):
        if op == "pair":
            for candidate in finalists:
                self._enter(impl, candidate, count, self._calls(candidate.bind, dependent))
        return super()._best(op, impl, finalists, dependent, count)

    def _cublas(self):
        super()._cublas()
        # The pair is the last op, and its calls are the last that were bound.
        self._enter("cublas", Candidate("", None), 1, self.bound)

    def _problem(self, entry):
        """What is wrong with an entry's results, or None."""
        try:
            entry.error = self.layer.error(entry.calls, self.clock)
        except Error as error:
            return str(error)
        # An error that is not a number is not below the limit either.
        return None if entry.error < LIMITS[self.case.dtype] else f"error {entry.error:.2g}"

    def _right_ones(self):
        """The entries whose results are right in the layer too; the others are reported."""
        right = []
        for entry in self.entries:
            # One adapter for all tokens is not what the reference has.
            problem = None
            if self.test_correctness and entry.impl != "cublas":
                problem = self._problem(entry)
            if problem:
                self.rejected["layer", entry.impl] = (
                    f"{problem} between two products: {entry.candidate.text}"
                )
            else:
                right.append(entry)
        return right

    def _winners(self, entries, count):
        """The fastest entry of each implementation."""
        samples = self.clock.in_turns([e.calls for e in entries], count, CHOOSING_REPLAYS)
        best = {}
        for entry, times in zip(entries, samples):
            took = statistics.median(times)
            if entry.impl not in best or took < best[entry.impl][0]:
                best[entry.impl] = took, entry
        return [entry for _, entry in best.values()]

    def _race(self):
        """Times the layer without a pair and with that of each implementation, in turns."""
        base = self.layer.calls()
        took = max(self.clock.rough(base[:FEWEST_CALLS]), 1e-3)
        count = min(self.clock.calls_in_graph, max(FEWEST_CALLS, int(LONGEST_REPLAY / took)))
        winners = self._winners(self._right_ones(), count)
        without, *samples = self.clock.in_turns(
            [base, *(entry.calls for entry in winners)], count, self.clock.replays
        )
        gemms = statistics.median(without)
        for entry, times in zip(winners, samples):
            self._add_layer(entry, gemms, statistics.median(times), without, times)
        timed = {entry.impl for entry in winners}
        for impl in dict.fromkeys(entry.impl for entry in self.entries):
            if impl not in timed:
                self._add("layer", impl, failed="none of the finalists could be used")

    def _add_layer(self, entry, gemms, layer, without, times):
        fields = {"gemms_us": gemms, "layer_us": layer}
        added = layer - gemms
        if added <= 0:
            failed = f"adds {added:.2f} us, which is lost in the noise"
            self._add("layer", entry.impl, failed=failed, **fields)
            return
        # Replays of one turn are neighbours in time.
        differences = sorted(time - base for time, base in zip(times, without))
        low, high = differences[0], differences[-1]
        if len(differences) > 1:
            low, _, high = statistics.quantiles(differences, n=4)
        self._add("layer", entry.impl, us=added, low=low, high=high, **fields,
                  config=entry.candidate.text, candidates=entry.count, error=entry.error)  # fmt: skip
