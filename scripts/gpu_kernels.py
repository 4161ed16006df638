#!/usr/bin/env python3
# Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles the kernels that gpu-accuracy runs into a folder.

The folder and gpu-accuracy are all that a machine with a GPU needs to run

    gpu-accuracy --kernels FOLDER

A kernel that is newer than lora-compile is not compiled again, so that a run can be interrupted and
repeated. The exit status is 1 if a kernel does not compile; its command and message are shown.
"""

import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import time

import environment


class Kernel:
    """A line of gpu-accuracy --list-kernels, and where its cubin and manifest belong."""

    def __init__(self, line, folder):
        name, *self.options = line.split()
        self.cubin = folder / f"{name}.cubin"
        self.manifest = folder / f"{name}.json"

    def is_newer_than(self, compiler):
        try:
            written = min(self.cubin.stat().st_mtime, self.manifest.stat().st_mtime)
        except FileNotFoundError:
            return False
        return written > compiler.stat().st_mtime

    def compile(self, compiler, arch):
        """Returns the command and its message, or None if it succeeds."""
        command = [compiler, *self.options, f"--arch={arch}", "-o", self.cubin]
        process = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        if process.returncode == 0:
            return None
        return f"{' '.join(map(str, command))}\n  {process.stdout.strip()}"


def list_kernels(arguments):
    command = [arguments.build / "bin/gpu-accuracy", "--list-kernels"]
    if arguments.quick:
        command.append("--quick")
    lines = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return [Kernel(line, arguments.output) for line in lines.splitlines()]


def compile_all(kernels, compiler, arguments):
    """Returns the number of kernels that did not compile."""
    failed = 0
    begin = last = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        tasks = [pool.submit(kernel.compile, compiler, arguments.arch) for kernel in kernels]
        for done, task in enumerate(concurrent.futures.as_completed(tasks), 1):
            message = task.result()
            if message:
                failed += 1
                print(message, flush=True)
            now = time.monotonic()
            if now - last >= 5 or done == len(tasks):
                last = now
                left = (now - begin) / done * (len(tasks) - done)
                print(f"{done} of {len(tasks)} kernels, {left:.0f} s left", flush=True)
    return failed


def folder_size(folder):
    return sum(path.stat().st_size for path in folder.iterdir()) / 2**20


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--build",
        type=pathlib.Path,
        default=pathlib.Path("build/release"),
        help="the build directory, with lora-compile and gpu-accuracy (default: %(default)s)",
    )
    parser.add_argument("--arch", help="e.g. sm_90a (default: that of the first GPU)")
    parser.add_argument("--output", type=pathlib.Path, help="default: build/gpu-kernels/ARCH")
    parser.add_argument("--quick", action="store_true", help="for gpu-accuracy --quick alone")
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count(), help="at a time (default: %(default)s)"
    )
    arguments = parser.parse_args()
    arguments.arch = arguments.arch or environment.gpu_arch()
    if not arguments.arch:
        parser.error("expected --arch, since the machine has no GPU")
    compiler = arguments.build / "bin/lora-compile"
    for tool in (compiler, arguments.build / "bin/gpu-accuracy"):
        if not tool.exists():
            parser.error(f"no {tool}: expected a build of both tools")
    arguments.output = arguments.output or pathlib.Path("build/gpu-kernels", arguments.arch)
    arguments.output.mkdir(parents=True, exist_ok=True)
    kernels = list_kernels(arguments)
    missing = [kernel for kernel in kernels if not kernel.is_newer_than(compiler)]
    print(f"{len(kernels)} kernels for {arguments.arch}, {len(missing)} to compile", flush=True)
    failed = compile_all(missing, compiler, arguments)
    print(f"{arguments.output}: {folder_size(arguments.output):.1f} MiB, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
