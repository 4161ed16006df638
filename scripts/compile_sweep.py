#!/usr/bin/env python3
# Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles configurations of the shipped kernels to cubins, for every architecture.

Every configuration that a kernel's candidates and `where` clauses allow must compile, with every
element type, for every architecture (with clusters, if the kernel needs them): its PTX is assembled
and its shared memory fits. A run takes a random sample of kernel, architecture, types and
configuration, or with --all every combination, which takes days. The exit status is 1 if one does not compile; its command line and what it printed
are shown.
"""

import argparse
import concurrent.futures
import itertools
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

WITH_CLUSTERS = ["sm_90a", "sm_100a", "sm_120a"]
ALL = ["sm_80", "sm_86", "sm_89"] + WITH_CLUSTERS
KERNELS = pathlib.Path(__file__).resolve().parent.parent / "kernels"
ARCHITECTURES = {"shrink": ALL, "expand": ALL, "shrink_expand": WITH_CLUSTERS}


class Kernel:
    """What a kernel file allows its parameters to be."""

    def __init__(self, op):
        self.file = KERNELS / f"{op}.mlir"
        self.architectures = ARCHITECTURES[op]
        text = re.sub(r"//.*", "", self.file.read_text())
        self.candidates = {}
        for clause in ("types", "params"):
            for name, values in re.findall(
                r"(\w+) = \w+ in \[([^\]]*)\]", self.clause(text, clause)
            ):
                self.candidates[name] = values.split(", ")
        conditions = re.findall(r'"([^"]*)"', self.clause(text, "where"))
        self.where = [compile(self.to_python(text), text, "eval") for text in conditions]

    @staticmethod
    def clause(text, name):
        """What stands between the brackets of a clause, which may hold brackets itself."""
        match = re.search(rf"^ *{name} \[((?:[^\[\]]|\[[^\]]*\])*)\]", text, re.MULTILINE)
        return match.group(1) if match else ""

    @staticmethod
    def to_python(condition):
        """A condition over positive numbers, without `!`, as a Python expression."""
        return condition.replace("||", " or ").replace("&&", " and ").replace("/", "//")

    def allows(self, config):
        names = {name: int(value) for name, value in config.items() if value.isdigit()}
        names.update(min=min, max=max)
        return all(eval(condition, {"__builtins__": {}}, names) for condition in self.where)

    def all_configs(self):
        for values in itertools.product(*self.candidates.values()):
            config = dict(zip(self.candidates, values))
            if self.allows(config):
                yield config

    def random_config(self, generator):
        while True:
            config = {name: generator.choice(values) for name, values in self.candidates.items()}
            if self.allows(config):
                return config


# What only some targets have, the constraints of a kernel do not know; the compiler does.
REFUSAL = re.compile(
    r"this configuration needs \d+ bytes of shared memory, \w+ has \d+$|has clusters of up to \d+$",
    re.MULTILINE,
)


def sample(count, seed):
    """`count` compilations, spread evenly over kernels and architectures."""
    generator = random.Random(seed)
    kernels = [Kernel(op) for op in ARCHITECTURES]
    for i in range(count):
        kernel = kernels[i % len(kernels)]
        arch = kernel.architectures[i // len(kernels) % len(kernel.architectures)]
        yield kernel.file, arch, kernel.random_config(generator)


def everything():
    for kernel in map(Kernel, ARCHITECTURES):
        for config in kernel.all_configs():
            for arch in kernel.architectures:
                yield kernel.file, arch, config


def compile_one(lora_compile, job):
    """Returns whether the kernel compiles, and the command with what it printed."""
    file, arch, config = job
    settings = ",".join(f"{name}={value}" for name, value in config.items())
    command = [lora_compile, file, f"--arch={arch}", f"--set={settings}", "--report"]
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.run(
            command + ["-o", os.path.join(folder, "kernel.cubin")],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
    good = process.returncode == 0 or (process.returncode == 1 and REFUSAL.search(process.stdout))
    return bool(good), " ".join(map(str, command)), process.stdout


def run(arguments):
    jobs = everything() if arguments.all else sample(arguments.count, arguments.seed)
    lora_compile = arguments.build.resolve() / "bin" / "lora-compile"
    passed = failed = 0
    # In batches, since all jobs together would not fit in memory.
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        while batch := list(itertools.islice(jobs, 1000)):
            results = pool.map(lambda job: compile_one(lora_compile, job), batch)
            for good, command, output in results:
                passed += good
                failed += not good
                if not good or arguments.verbose:
                    print(f"{command}\n  {output.strip()}", flush=True)
    return passed, failed


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--build",
        type=pathlib.Path,
        default=pathlib.Path("build/release"),
        help="the build directory (default: %(default)s)",
    )
    parser.add_argument(
        "--count", type=int, default=150, help="kernels to compile (default: %(default)s)"
    )
    parser.add_argument("--seed", type=int, default=0, help="decides the sample")
    parser.add_argument("--all", action="store_true", help="compile every configuration")
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count(), help="at a time (default: %(default)s)"
    )
    parser.add_argument("--verbose", action="store_true", help="show every compilation")
    parser.add_argument("--output", type=pathlib.Path, help="write the counts to a JSON file")
    arguments = parser.parse_args()
    passed, failed = run(arguments)
    if arguments.output:
        arguments.output.write_text(json.dumps({"passed": passed, "failed": failed}))
    print(f"{passed} compiled, {failed} did not")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
