#!/usr/bin/env python3
# Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tune_report.py DATABASE [OTHER]: what tuning gained over the default configuration, as the table
of docs/tuning.md, from a database of lora-tune; OTHER is one of bf16.

A default that was not measured at a problem, since it spills registers there or is two launches, is
not counted, but said.
"""

import math
import sqlite3
import sys

GRID = (1024, 2048, 4096, 8192, 16384)


def key_fields(key):
    return dict(word.split("=", 1) for word in key.split()[1:])


class Problem:
    def __init__(self, key, default):
        self.kernel, self.fields = key.split()[0], key_fields(key)
        self.default, self.times = default, {}

    @property
    def rank(self):
        return int(self.fields["rank"])

    @property
    def is_grid(self):
        """Whether it is of the published grid: one slice, as wide as hidden."""
        hidden, widths = self.fields.get("hidden"), self.fields.get("widths")
        sizes = {size for size in (hidden, widths) if size}
        return (
            len(sizes) == 1
            and self.fields.get("slices", "1") == "1"
            and sizes.pop() in map(str, GRID)
        )

    @property
    def sizes(self):
        """What shrink, expand and a single launch for the same problem have in common."""
        return tuple(
            self.fields[name] for name in ("x", "w", "tokens", "rank", "adapters")
        )

    @property
    def best(self):
        return min(self.times.values())

    @property
    def ratio(self):
        """How many times as long as the best the default takes, or None."""
        time = self.times.get(self.default)
        return time and time / self.best


def read(path):
    """The problems of a database that have a time; as in lora-tune, a final round counts more than
    the screening, and the last time more than those before it."""
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    problems = {
        number: Problem(key, default)
        for number, key, default in database.execute(
            "SELECT id, key, default_artefact FROM problem"
        )
    }
    for number, artefact, us in database.execute(
        "SELECT m.problem, k.artefact, m.us FROM measurement m JOIN kernel k ON k.id = m.kernel"
        " JOIN session s ON s.id = m.session WHERE NOT EXISTS (SELECT 1 FROM failure f WHERE"
        " f.problem = m.problem AND f.artefact = k.artefact)"
        " ORDER BY m.round = 'final', s.started, s.uid, m.number"
    ):
        problems[number].times[artefact] = us
    return [problem for problem in problems.values() if problem.times]


def row(title, problems):
    ratios = [problem.ratio for problem in problems if problem.ratio]
    if not ratios:
        return f"| {title} | 0 | | | {len(problems)} |"
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    missing = len(problems) - len(ratios)
    return f"| {title} | {len(ratios)} | {mean:.2f} | {max(ratios):.2f} | {missing} |"


def pairs(problems):
    """Where all three were measured, how many there are and how many times a single launch takes of
    shrink and expand after each other, by rank."""

    def times(kernel):
        return {
            problem.sizes
            + (
                problem.fields.get("hidden", ""),
                problem.fields.get("widths", ""),
                problem.fields.get("slices", ""),
            ): problem.best
            for problem in problems
            if problem.kernel == kernel
        }

    shrinks, expands = times("shrink"), times("expand")
    ratios = {}
    for problem in problems:
        if problem.kernel != "shrink_expand":
            continue
        widths = problem.fields["widths"]
        slices = str(widths.count(",") + 1)
        shrink = shrinks.get(problem.sizes + (problem.fields["hidden"], "", slices))
        expand = expands.get(problem.sizes + ("", widths, ""))
        if shrink and expand:
            ratios.setdefault(problem.rank, []).append(problem.best / (shrink + expand))
    return ratios


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__.strip().splitlines()[0])
    problems = read(sys.argv[1])
    print("| | problems | geometric mean | at worst | default not measured |")
    print("| --- | --- | --- | --- | --- |")
    names = {
        "shrink": "shrink",
        "expand": "expand",
        "shrink_expand": "single launch",
    }
    for is_grid, where in ((True, "grid"), (False, "models")):
        for rank in sorted({problem.rank for problem in problems}):
            for kernel, name in names.items():
                chosen = [
                    problem
                    for problem in problems
                    if problem.is_grid == is_grid
                    and problem.rank == rank
                    and problem.kernel == kernel
                ]
                if chosen:
                    print(row(f"{where}, rank {rank}: {name}", chosen))
    print(row("all", problems))
    if len(sys.argv) == 3:
        print(row("a part in bf16 and f16", read(sys.argv[2])))
    print()
    for rank, ratios in sorted(pairs(problems).items()):
        single = sum(ratio < 1 for ratio in ratios)
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        print(
            f"rank {rank}: a single launch takes {mean:.2f} times as long as shrink and expand"
            f" after each other in the mean of {len(ratios)} problems, and less at {single}"
        )


if __name__ == "__main__":
    main()
