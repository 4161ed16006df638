# Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles candidate configurations of the shipped kernels into a folder, with lora-compile.

    python -m lora_tile.kernels --output build/bench-kernels

Configurations that a kernel's `where` clauses refuse are skipped and counted. A kernel that is
there already, and newer than lora-compile, is not compiled again.
"""

import argparse
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys
import time

from lora_tile.candidates import OPS, candidates
from lora_tile.errors import Error, run_tool

REFUSED = " requires "


def find_compiler():
    """The path of lora-compile, from $LORA_COMPILE or PATH."""
    named = os.environ.get("LORA_COMPILE")
    found = shutil.which(named or "lora-compile")
    if not found:
        where = f"LORA_COMPILE={named}" if named else "lora-compile in PATH or LORA_COMPILE"
        raise Error(f"found no {where}: expected the compiler's path")
    return pathlib.Path(found)


class Job:
    """A configuration to compile, and where its cubin and manifest belong."""

    def __init__(self, op, dtype, config, folder):
        self.op = op
        self.dtype = dtype
        self.config = config
        parts = [op, dtype] + [f"{name}{value}" for name, value in config.items()]
        self.cubin = pathlib.Path(folder, "_".join(parts) + ".cubin")
        self.manifest = self.cubin.with_suffix(".json")

    def is_newer_than(self, compiler):
        try:
            written = min(self.cubin.stat().st_mtime, self.manifest.stat().st_mtime)
        except FileNotFoundError:
            return False
        return written > compiler.stat().st_mtime

    def compile(self, compiler, arch):
        """The compiler's message, or None when it succeeds."""
        choices = ",".join(f"{name}={value}" for name, value in self.config.items())
        command = [compiler, f"--op={self.op}", f"--arch={arch}", f"--dtype={self.dtype}"]
        process = subprocess.run(
            [*command, f"--set={choices}", "-o", self.cubin], capture_output=True, text=True
        )
        if process.returncode == 0:
            return None
        return (process.stderr.strip() or f"exit status {process.returncode}").splitlines()[-1]


def compile_jobs(jobs, compiler, arch, workers, show=print):
    """Compiles in parallel; returns the jobs done, refused, and pairs of a failed job and why."""
    missing = [job for job in jobs if not job.is_newer_than(compiler)]
    refused, failed = [], []
    begin = last = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        tasks = {pool.submit(job.compile, compiler, arch): job for job in missing}
        for count, task in enumerate(concurrent.futures.as_completed(tasks), 1):
            message = task.result()
            if message and REFUSED in message:
                refused.append(tasks[task])
            elif message:
                failed.append((tasks[task], message))
            now = time.monotonic()
            if now - last >= 5:
                last = now
                left = (now - begin) / count * (len(tasks) - count)
                show(f"{count} of {len(tasks)} kernels, {left:.0f} s left")
    bad = {id(job) for job in refused} | {id(job) for job, _ in failed}
    return [job for job in jobs if id(job) not in bad], refused, failed


def aligned(op, config, align):
    """The configuration for rows of x and y that are multiples of `align` elements."""
    names = {"shrink": ["ALIGN"], "expand": ["Y_ALIGN"], "shrink_expand": ["ALIGN", "Y_ALIGN"]}[op]
    return config if align == 8 else config | dict.fromkeys(names, align)


def jobs_for(ops, dtypes, ranks, add_inputs, folder, align=8):
    """The candidates of every combination, each once."""
    jobs = {}
    for op in ops:
        for dtype in dtypes:
            for rank in ranks:
                for config in candidates(op, rank, add_inputs):
                    job = Job(op, dtype, aligned(op, config, align), folder)
                    jobs[job.cubin] = job
    return list(jobs.values())


def parse(arguments):
    parser = argparse.ArgumentParser(prog="lora-tile-kernels", description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path("build/bench-kernels"))
    parser.add_argument("--arch", default="sm_90a", help="default: %(default)s")
    parser.add_argument("--dtype", nargs="+", choices=["f16", "bf16"], default=["f16"])
    parser.add_argument("--lora-ranks", nargs="+", type=int, default=[16])
    parser.add_argument("--op", nargs="+", choices=OPS, default=list(OPS))
    parser.add_argument("--no-add-inputs", action="store_true", help="expand overwrites y")
    parser.add_argument("--align", type=int, choices=[1, 2, 4, 8], default=8,
                        help="elements that rows of x and y are multiples of")  # fmt: skip
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="default: %(default)s")
    return parser.parse_args(arguments)


def compile_folder(options):
    compiler = find_compiler()
    options.output.mkdir(parents=True, exist_ok=True)
    jobs = jobs_for(
        options.op, options.dtype, options.lora_ranks, not options.no_add_inputs, options.output,
        options.align,
    )  # fmt: skip
    done, refused, failed = compile_jobs(jobs, compiler, options.arch, options.jobs)
    size = sum(path.stat().st_size for path in options.output.iterdir()) / 2**20
    print(
        f"{options.output}: {len(done)} kernels for {options.arch}, {size:.1f} MiB; {len(refused)} "
        f"configurations refused, {len(failed)} failed"
    )
    if failed:
        job, message = failed[0]
        raise Error(f"{job.cubin.name}: {message} (and {len(failed) - 1} more)")


def main(arguments=None):
    return run_tool("lora-tile-kernels", lambda: compile_folder(parse(arguments)))


if __name__ == "__main__":
    sys.exit(main())
