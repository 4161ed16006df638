#!/usr/bin/env python3
# Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Breaks the compiler in one line at a time and sees whether lora-differential notices.

Works on a copy of the sources with a build of its own, both in --work, and leaves the project as it
is. Each mutation costs the compilation of a file or two and a run of lora-differential that ends at
the first failure. The exit status is 1 if a mutation is not caught.
"""

import argparse
import collections
import fcntl
import os
import pathlib
import shutil
import subprocess
import sys

PROJECT = pathlib.Path(__file__).resolve().parent.parent.parent
Mutation = collections.namedtuple("Mutation", "name file line replacement")

RING = "lib/Conversion/TileToSimt/RingLowering.cpp"
SUM = "lib/Conversion/TileToSimt/SumLowering.cpp"
SPLIT = "lib/Conversion/TileToSimt/SplitLowering.cpp"

MUTATIONS = [
    Mutation(
        "swap two lanes of an operand",
        "lib/Layout/MmaLayouts.cpp",
        "  append(lanes, kColumn, kVector(), 4 * kVector());",
        "  lanes = {{kColumn, 2 * kVector()}, {kColumn, kVector()}};",
    ),
    Mutation(
        "swap two rows of a fragment",
        "lib/Layout/MmaLayouts.cpp",
        "          for (int row : {m, m + 8})",
        "          for (int row : {m + 8, m})",
    ),
    Mutation(
        "drop the wait for a copy",
        RING,
        "  simt::CpAsyncWaitOp::create(l.builder, l.loc, stages - 2);",
        "",
    ),
    Mutation(
        "wait for one copy too few",
        RING,
        "  simt::CpAsyncWaitOp::create(l.builder, l.loc, stages - 2);",
        "  simt::CpAsyncWaitOp::create(l.builder, l.loc, stages - 1);",
    ),
    Mutation(
        "shift a stage of the ring",
        RING,
        "  copyBlock(l.add(k, l.constant((stages - 1) * sum.getStepInt())), previous, Part::All);",
        "  copyBlock(l.add(k, l.constant(stages * sum.getStepInt())), previous, Part::All);",
    ),
    Mutation("drop the barrier of the ring", RING, "  synchronise();", ""),
    Mutation(
        "two warps own the same elements",
        "lib/Conversion/TileToSimt/ThreadCoordinates.cpp",
        "  for (size_t bit = 0; bit + apart < layout.warps().size(); ++bit)",
        "  for (size_t bit = 0; bit + apart + 1 < layout.warps().size(); ++bit)",
    ),
    Mutation(
        "swizzle without the row",
        "lib/Conversion/TileToSimt/SharedMemory.cpp",
        "    int64_t swapped = (rowOffset & 1) * (kBankBytes / 2) ^ (columnOffset & (kBankBytes / 2));",
        "    int64_t swapped = columnOffset & (kBankBytes / 2);",
    ),
    Mutation(
        "skip a bounds check",
        "lib/Transforms/Simplify.cpp",
        "  return access.shape[d] <= step && divisibility.of(size) % step == 0;",
        "  return access.shape[d] <= step;",
    ),
    Mutation(
        "access more than the alignment allows",
        "lib/Conversion/TileToSimt/AccessLowering.cpp",
        "    access.width = std::clamp<int64_t>(alignment / access.elementBytes(), 1,",
        "    access.width = std::clamp<int64_t>(2 * alignment / access.elementBytes(), 1,",
    ),
    Mutation(
        "end the leaves of another part",
        SUM,
        "  return leafBegin(builder, loc, add(add(range.firstLeaf, leaf), constant(1)), range.units,",
        "  return leafBegin(builder, loc, add(leaf, constant(1)), range.units,",
    ),
    Mutation(
        "take the first columns of a tile for each slice of it",
        "lib/Conversion/TileToSimt/KernelLowering.cpp",
        "  Value first = offset(base, mul(scalar(op.getColumn()), constant(elementBytes)));",
        "  Value first = base;",
    ),
    Mutation(
        "add the parts in another order",
        SUM,
        "      for (auto [left, right] : llvm::zip(parts[i], parts[i + 1]))",
        "      for (auto [left, right] : llvm::zip(parts[i / 2], parts[(i + parts.size()) / 2]))",
    ),
    Mutation(
        "leave a counter as it is",
        SPLIT,
        "  simt::StoreOp::create(builder, loc, constant(0), counter, isFirst);",
        "",
    ),
    Mutation(
        "read parts that have not arrived",
        SPLIT,
        "      simt::MbarrierWaitOp::create(builder, loc, inbox.mbarrier);",
        "      (void)inbox;",
    ),
    Mutation(
        "wait for all parts but one",
        SPLIT,
        "    simt::MbarrierInitOp::create(builder, loc, inbox.mbarrier, isLeader, split * tile.bytes());",
        "    simt::MbarrierInitOp::create(builder, loc, inbox.mbarrier, isLeader, (split - 1) * tile.bytes());",
    ),
    Mutation(
        "load the next block of a row from the one before",
        SUM,
        "    Value next = add(k, constant(ahead * step));",
        "    Value next = add(k, constant(0));",
    ),
    Mutation(
        "finish a leaf with a block that does not exist",
        SUM,
        "    part = finishLeaf(sum, range, k, part, exists);",
        "    part = finishLeaf(sum, range, k, part, Value());",
    ),
    Mutation(
        "two blocks under way, both of them the first",
        "lib/Conversion/TileToSimt/EarlyLoads.cpp",
        "          i == 0 ? begun->range.begin : add(begun->range.begin, constant(i * sum.getStepInt()));",
        "          begun->range.begin;",
    ),
]


def mutated(mutation):
    """The text of the mutation's file with the mutation."""
    text = (PROJECT / mutation.file).read_text()
    count = text.count(mutation.line + "\n")
    if count != 1:
        sys.exit(
            f"mutations.py: {mutation.file}: expected the line to mutate once, found it {count} "
            f"times: {mutation.line.strip()}"
        )
    return text.replace(mutation.line + "\n", mutation.replacement + "\n")


def write_if_different(path, content):
    """So that only what a mutation touches is built again."""
    if not path.exists() or path.read_bytes() != content:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def copy_sources(target):
    """Copies all but hidden and built files."""
    for folder, folders, files in os.walk(PROJECT):
        top = pathlib.Path(folder) == PROJECT
        folders[:] = [
            name
            for name in folders
            if not name.startswith((".", "__")) and not (top and name == "build")
        ]
        for name in files:
            file = pathlib.Path(folder, name)
            if not name.startswith("."):
                write_if_different(target / file.relative_to(PROJECT), file.read_bytes())


def build(work, jobs):
    """Builds lora-differential; returns the compiler's messages if that fails."""
    folder = work / "build"
    if not (folder / "build.ninja").exists():
        shutil.rmtree(folder, ignore_errors=True)
        command = ["cmake", "-S", work / "source", "-B", folder, "--preset", "release"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=work / "source")
    command = ["cmake", "--build", folder, "--target", "lora-differential", "-j", str(jobs)]
    process = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    return process.stdout if process.returncode != 0 else ""


def run_cases(work, arguments):
    """Returns the exit status of lora-differential, or None if it hangs, and what it says first."""
    command = [work / "build/bin/lora-differential", "--as-found", "--cases", str(arguments.cases)]
    command += ["--seed", str(arguments.seed)]
    try:
        process = subprocess.run(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
            timeout=arguments.timeout,
        )
    except subprocess.TimeoutExpired:
        return None, f"did not end within {arguments.timeout} s"
    lines = [
        line for line in process.stdout.splitlines() if "failed: " in line or "died of" in line
    ]
    return process.returncode, (lines or process.stdout.splitlines() or [""])[0]


def try_mutation(mutation, work, arguments):
    """Prints a line about the mutation; returns whether it was caught."""
    path = work / "source" / mutation.file
    original = path.read_bytes()
    path.write_text(mutated(mutation))
    try:
        errors = build(work, arguments.jobs)
        if errors:
            print(errors)
            sys.exit(f"mutations.py: '{mutation.name}' does not compile")
        status, message = run_cases(work, arguments)
    finally:
        path.write_bytes(original)
    caught = status != 0
    print(f"{'caught' if caught else 'MISSED'}: {mutation.name}: {message}", flush=True)
    return caught


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--work",
        type=pathlib.Path,
        default=PROJECT / "build/mutations",
        help="folder for the copy and its build (default: %(default)s)",
    )
    parser.add_argument("--cases", type=int, default=100, help="default: %(default)s")
    parser.add_argument("--seed", type=int, default=1, help="default: %(default)s")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="of the build")
    parser.add_argument(
        "--timeout", type=int, default=600, help="seconds for one run (default: %(default)s)"
    )
    parser.add_argument("--only", help="try only the mutations whose name contains this text")
    parser.add_argument(
        "--check", action="store_true", help="only see whether each mutation can still be made"
    )
    arguments = parser.parse_args()
    chosen = [m for m in MUTATIONS if not arguments.only or arguments.only in m.name]
    for mutation in chosen:
        mutated(mutation)
    if arguments.check:
        print(f"{len(chosen)} mutations can be made")
        return 0

    work = arguments.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    lock = open(work / "lock", "w", encoding="utf-8")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        sys.exit(f"mutations.py: {work} is in use by another run")
    copy_sources(work / "source")
    print("Building without a mutation", flush=True)
    if errors := build(work, arguments.jobs):
        print(errors)
        return 1
    status, message = run_cases(work, arguments)
    if status != 0:
        print(f"mutations.py: lora-differential fails without a mutation: {message}")
        return 1
    caught = sum(try_mutation(mutation, work, arguments) for mutation in chosen)
    print(f"{caught} of {len(chosen)} mutations caught")
    return 0 if caught == len(chosen) else 1


if __name__ == "__main__":
    sys.exit(main())
