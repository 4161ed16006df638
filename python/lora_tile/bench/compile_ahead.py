# Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles the Triton baseline's configurations in parallel processes, into Triton's cache.

One at a time, as launches would, they take longer to compile than to measure.
"""

import concurrent.futures
import dataclasses
import multiprocessing
import os
import sys
import time

from lora_tile.bench import triton_v1

# Fewer are compiled sooner than processes start.
FEWEST = 8


def variants(cases):
    """(op, case, configuration) of everything that has to be compiled, each once."""
    found = {}
    for case in cases:
        for op in ("shrink", "expand"):
            if op not in case.ops and "pair" not in case.ops:
                continue
            configs = getattr(triton_v1, f"tuned_{op}")(case)
            configs += [dataclasses.replace(config, dependent=True) for config in configs]
            configs.append(getattr(triton_v1, f"default_{op}")(case))
            for config in configs:
                found.setdefault(triton_v1.specialisation(op, case, config), (op, case, config))
    return list(found.values())


def _compile(job):
    try:
        triton_v1.compile_only(*job)
    except Exception:
        # The measurement meets the same problem, and reports it.
        return False
    return True


def compile_ahead(cases, show=lambda text: print(text, file=sys.stderr, flush=True)):
    """Compiles what the cases need; what cannot be compiled here is left to the measurement."""
    jobs = variants(cases)
    if len(jobs) < FEWEST:
        return
    workers = min(len(jobs) // 4 + 1, os.cpu_count() or 1, 16)
    begin = last = time.monotonic()
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(workers, mp_context=context) as pool:
        for done, _ in enumerate(pool.map(_compile, jobs), 1):
            now = time.monotonic()
            if now - last >= 5:
                last = now
                left = (now - begin) / done * (len(jobs) - done)
                show(f"{done} of {len(jobs)} Triton kernels compiled, {left:.0f} s left")
