# Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures every implementation of a case, the correct ones alone.

Candidates are checked first, then timed by a single short replay. The best few are timed by three
replays of all sets of arguments, the best of these fully, and the fastest is the result. This is
the same for lora-tile and for tuned Triton. Pairs of two launches are those of the best few for
shrink with the best few for expand, since the two that are fastest alone need not be so in turns.
"""

import dataclasses
import itertools
import math
import tempfile

import torch
import triton
from cuda.bindings import driver
from triton.runtime.errors import OutOfResources

from lora_tile import kernels
from lora_tile.bench import triton_v1
from lora_tile.bench.arguments import LIMITS, SCALING, Mapping, Reference, make_pool
from lora_tile.bench.cases import pool_size
from lora_tile.bench.launch import LoadedKernel, launch_values
from lora_tile.bench.vllm_ops import VllmOps
from lora_tile.candidates import Shape, suits
from lora_tile.errors import Error
from lora_tile.manifest import Kernel, load_folder

# Candidates that are left after the first round, and after the second.
SEMIFINALISTS = 8
FINALISTS = 3
# Configurations of shrink and of expand that are tried together.
PARTNERS = 4
# Bytes of arguments beyond which the L2 cache of any GPU does not help a call.
BEYOND_CACHES = 120 * 10**6


def versions():
    """Versions of what takes part in a measurement."""
    _, driver_version = driver.cuDriverGetVersion()
    return {
        "torch": torch.__version__,
        "triton": triton.__version__,
        "cuda_driver": f"{driver_version // 1000}.{driver_version % 1000 // 10}",
    }


class Library:
    """lora-tile's kernels: those of a folder, or compiled when a case needs them."""

    def __init__(self, folder, arch):
        self.arch = arch
        self.loaded = {}
        self.kernels = load_folder(folder) if folder else None
        self.compiled = {}
        if folder:
            self.kernels = [kernel for kernel in self.kernels if kernel.target == arch]
            if not self.kernels:
                raise Error(f"{folder}: found no kernel for {arch}, expected some")
        else:
            self.compiler = kernels.find_compiler()
            self.folder = tempfile.TemporaryDirectory(prefix="lora-tile-bench-")

    def _compile(self, op, case, shape):
        """The kernels that suit a shape; those that no earlier case has needed are compiled."""
        align = math.gcd(8, case.hidden, case.offset, *case.widths)
        jobs = kernels.jobs_for(
            [op], [case.dtype], [case.rank], case.add_inputs, self.folder.name, align
        )
        jobs = [job for job in jobs if suits(op, job.config, shape)]
        missing = [job for job in jobs if job.cubin not in self.compiled]
        done, refused, failed = kernels.compile_jobs(missing, self.compiler, self.arch, None)
        if failed:
            raise Error(f"lora-compile: {failed[0][0].cubin.name}: {failed[0][1]}")
        self.compiled.update((job.cubin, Kernel(job.manifest)) for job in done)
        self.compiled.update((job.cubin, None) for job in refused)
        return [self.compiled[job.cubin] for job in jobs if self.compiled[job.cubin]]

    def find(self, op, case):
        """Kernels that compute `op` of a case and suit its shape, loaded."""
        shape = Shape(
            case.with_lora(), case.reached(), case.slices, case.hidden, max(case.widths)
        )
        if self.kernels is not None:
            fitting = [
                kernel
                for kernel in self.kernels
                if kernel.fits(op, case.dtype, case.rank, case.add_inputs)
            ]
            # A folder may have others than those that are tried by default.
            fitting = [k for k in fitting if suits(op, k.config, shape)] or fitting
        else:
            fitting = self._compile(op, case, shape)
        for kernel in fitting:
            if kernel.cubin not in self.loaded:
                self.loaded[kernel.cubin] = LoadedKernel(kernel)
        return [self.loaded[kernel.cubin] for kernel in fitting]


class Candidate:
    """A configuration of an op.

    `bind(arguments, dependent, chained)` makes a call for a set of arguments, with dependent launch
    or not; a chained expand takes the s that shrink wrote, and not one of its own.
    """

    def __init__(self, text, bind):
        self.text = text
        self.bind = bind
        self.error = None
        self.problem = None


def chained(shrink, expand, dependent):
    """The candidate for a pair of two launches."""

    def bind(arguments, _):
        first = shrink.bind(arguments, dependent)
        second = expand.bind(arguments, dependent, chained=True)

        def call(handle):
            first(handle)
            second(handle)

        return call

    return Candidate(f"{shrink.text} | {expand.text}", bind)


class Bench:
    """Measures cases. `baselines` chooses among "lora-tile", "triton", "cublas" and "vllm"."""

    def __init__(self, clock, library, baselines, pool_sets, test_correctness=True, seed=0):
        self.clock = clock
        self.library = library
        self.baselines = baselines
        self.pool_sets = pool_sets
        self.test_correctness = test_correctness
        self.seed = seed
        self.vllm = VllmOps() if "vllm" in baselines else None

    def run(self, case):
        """The results of a case, in the form that results.py describes."""
        mapping = Mapping(case, self.seed)
        self.case = case
        self.pool = make_pool(case, mapping, pool_size(case, self.pool_sets))
        self.reference = Reference(case, self.pool[0])
        self.results = []
        self.rejected = {}
        self.winners = {}
        # By op and implementation, the best first.
        self.partners = {}
        for op in ("shrink", "expand"):
            if op in case.ops or "pair" in case.ops:
                self._single(op)
        if "pair" in case.ops:
            self._pair()
        if self.vllm:
            self._vllm()
        if "cublas" in self.baselines:
            self._cublas()
        results = [result for result in self.results if result["op"] in case.ops]
        del self.pool, self.reference
        return results

    def _add(self, op, impl, **fields):
        rejected = self.rejected.get((op, impl))
        if rejected:
            fields["rejected"] = rejected
        self.results.append({"op": op, "impl": impl, **fields})

    def _calls(self, bind, dependent=False):
        return [bind(arguments, dependent) for arguments in self.pool]

    def _is_correct(self, op, candidate, dependent=False):
        """Checks a candidate on the first set of arguments; its error is remembered."""
        if not self.test_correctness:
            return True
        handle = torch.cuda.current_stream().cuda_stream
        try:
            call = candidate.bind(self.pool[0], dependent)
            candidate.error = self.reference.error(op, call, handle)
        except Error as error:
            candidate.problem = str(error)
            return False
        candidate.problem = f"error {candidate.error:.2g}"
        # An error that is not a number is not below the limit either.
        return candidate.error < LIMITS[self.case.dtype]

    def _correct_ones(self, op, impl, candidates, dependent=False):
        """The candidates that are right; the others are reported, and never timed."""
        good, wrong = [], []
        for candidate in candidates:
            try:
                (good if self._is_correct(op, candidate, dependent) else wrong).append(candidate)
            except OutOfResources:
                # A Triton configuration that this GPU has no room for.
                continue
        if wrong:
            self.rejected[op, impl] = (
                f"{len(wrong)} of {len(candidates)} configurations rejected, the first for "
                f"{wrong[0].problem}: {wrong[0].text}"
            )
        return good

    def _few_sets(self, op):
        """As many sets of arguments as do not fit in the caches; few if not even all of them do."""
        size = max(self.case.bytes_of(op), 1)
        if size * len(self.pool) < BEYOND_CACHES // 3:
            return self.pool[:8]
        return self.pool[: max(8, -(-BEYOND_CACHES // size))]

    def _rank(self, op, candidates, dependent=False):
        """The best candidates, in the order of their rough times."""
        if len(candidates) <= 1:
            return candidates

        def sorted_by(time):
            timed = [(time(candidate), candidate) for candidate in candidates]
            return [candidate for _, candidate in sorted(timed, key=lambda pair: pair[0])]

        few = self._few_sets(op)
        if len(candidates) > SEMIFINALISTS:
            candidates = sorted_by(lambda c: self.clock.rough([c.bind(a, dependent) for a in few]))
        candidates = candidates[:SEMIFINALISTS]
        return sorted_by(lambda c: self.clock.rough(self._calls(c.bind, dependent), 3))

    def _best(self, op, impl, finalists, dependent, count):
        """Adds the result of the fastest finalist; returns the finalists, the fastest first."""
        timed = [
            (self.clock.measure(self._calls(candidate.bind, dependent)), candidate)
            for candidate in finalists
        ]
        if not timed:
            self._add(op, impl, failed=f"none of {count} configurations could be used")
            return []
        timed.sort(key=lambda pair: pair[0]["us"])
        times, candidate = timed[0]
        self.winners[op, impl] = candidate
        self._add(
            op, impl, **times, config=candidate.text, candidates=count, error=candidate.error
        )
        return [candidate for _, candidate in timed]

    def _lora_candidates(self, op):
        for kernel in self.library.find("shrink_expand" if op == "pair" else op, self.case):
            rows = kernel.kernel.config["BLOCK_M"]
            values = launch_values(self.case, self.pool[0], self.pool[0].s_out, rows)
            if kernel.broken_assumption(values):
                continue

            def bind(arguments, dependent, chained=False, kernel=kernel, rows=rows):
                s = arguments.s_in if op == "expand" and not chained else arguments.s_out
                return kernel.bind(launch_values(self.case, arguments, s, rows), dependent)

            yield Candidate(kernel.kernel.text(), bind)

    def _lora(self, op):
        """Measures lora-tile with and without dependent launch."""
        candidates = list(self._lora_candidates(op))
        count = len(candidates)
        if not candidates:
            self._add(op, "lora-tile", failed="no kernel for this shape")
            return
        right = self._correct_ones(op, "lora-tile", candidates)
        # What wins alone need not win where launches overlap: all are ranked again.
        for impl, dependent in (("lora-tile", False), ("lora-tile-pdl", True)):
            ranked = self._rank(op, right, dependent)
            finalists = ranked[:FINALISTS]
            if dependent:
                finalists = self._correct_ones(op, impl, finalists, True)
            fastest = self._best(op, impl, finalists, dependent, count)
            self.partners[op, impl] = (fastest + ranked[FINALISTS:])[:PARTNERS]

    def _triton_candidate(self, op, config):
        def bind(arguments, _, chained=False):
            if op == "shrink":
                return triton_v1.bind_shrink(self.case, arguments, config)
            s = arguments.s_out if chained else arguments.s_in
            return triton_v1.bind_expand(self.case, arguments, s, config)

        candidate = Candidate(config.text(), bind)
        candidate.config = config
        return candidate

    def _triton(self, op):
        """Measures untuned and tuned Triton."""
        default = self._triton_candidate(op, getattr(triton_v1, f"default_{op}")(self.case))
        good = self._correct_ones(op, "triton-default", [default])
        self.partners[op, "triton-default"] = self._best(op, "triton-default", good, False, 1)

        configs = getattr(triton_v1, f"tuned_{op}")(self.case)
        candidates = [self._triton_candidate(op, config) for config in configs]
        ranked = self._rank(op, self._correct_ones(op, "triton-tuned", candidates))[:FINALISTS]
        if torch.cuda.get_device_capability() >= (9, 0):
            early = [
                self._triton_candidate(op, dataclasses.replace(config, dependent=True))
                for config in configs
            ]
            ranked += self._rank(op, self._correct_ones(op, "triton-tuned", early))[:FINALISTS]
        fastest = self._best(op, "triton-tuned", ranked, False, len(candidates))
        self.partners[op, "triton-tuned"] = fastest[:PARTNERS]

    def _single(self, op):
        """Measures shrink or expand."""
        if "lora-tile" in self.baselines:
            self._lora(op)
        if "triton" in self.baselines:
            self._triton(op)

    def _two_launches(self, impl, source, dependent=False):
        """Measures a pair made of an implementation's best few for shrink and for expand."""
        few = [self.partners.get((op, source), []) for op in ("shrink", "expand")]
        pairs = [chained(shrink, expand, dependent) for shrink, expand in itertools.product(*few)]
        if not pairs:
            self._add("pair", impl, failed="no shrink or no expand could be used")
            return
        finalists = self._correct_ones("pair", impl, self._rank("pair", pairs)[:FINALISTS])
        self._best("pair", impl, finalists, False, len(pairs))

    def _pair(self):
        if "lora-tile" in self.baselines:
            # shrink_expand always adds to y.
            if self.case.add_inputs:
                self._lora("pair")
            self._two_launches("lora-tile-two", "lora-tile")
            self._two_launches("lora-tile-two-pdl", "lora-tile-pdl", dependent=True)
        if "triton" in self.baselines:
            for impl in ("triton-default", "triton-tuned"):
                self._two_launches(impl, impl)

    def _vllm(self):
        """vLLM's ops, configured as they configure themselves."""

        def shrink(arguments, _):
            return self.vllm.bind_shrink(self.case, arguments)

        def expand(arguments, _, chained=False):
            s = arguments.s_out if chained else arguments.s_in
            return self.vllm.bind_expand(self.case, arguments, s)

        def pair(arguments, _):
            first, second = shrink(arguments, _), expand(arguments, _, chained=True)

            def call(handle):
                first(handle)
                second(handle)

            return call

        for op, bind in (("shrink", shrink), ("expand", expand), ("pair", pair)):
            if op in self.case.ops:
                good = self._correct_ones(op, "vllm", [Candidate("", bind)])
                self._best(op, "vllm", good, False, 1)

    def _cublas(self):
        """One adapter for all tokens: torch.mm and torch.addmm, each slice by itself."""
        case = self.case

        def shrink(arguments, _):
            weights = [a[0].T for a in arguments.a]
            outs = arguments.s_out.to(arguments.x.dtype).unbind()

            def call(_):
                for out, weight in zip(outs, weights):
                    torch.mm(arguments.x, weight, out=out)

            call.outs = outs
            return call

        def expand(arguments, _, inputs=None):
            weights = [b[0].T for b in arguments.b]
            inputs = inputs or (arguments.s_in * SCALING).to(arguments.x.dtype).unbind()
            begins = arguments.mapping.slice_begins
            outs = [arguments.y[:, i : i + w] for i, w in zip(begins, case.widths)]

            def call(_):
                for out, value, weight in zip(outs, inputs, weights):
                    if case.add_inputs:
                        torch.addmm(out, value, weight, out=out)
                    else:
                        torch.mm(value, weight, out=out)

            return call

        def pair(arguments, _):
            first = shrink(arguments, _)
            second = expand(arguments, _, first.outs)

            def call(handle):
                first(handle)
                second(handle)

            return call

        for op, bind in (("shrink", shrink), ("expand", expand), ("pair", pair)):
            if op in case.ops:
                self._add(
                    op, "cublas", **self.clock.measure(self._calls(bind)), config="", candidates=1
                )
