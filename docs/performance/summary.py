#!/usr/bin/env python3
# Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tables of docs/performance.md, from the files of runs of the benchmark.

Usage: PYTHONPATH=python docs/performance/summary.py RUN.json ... [--picture FILE.svg]
       PYTHONPATH=python docs/performance/summary.py --by-case RUN.json ...

The first is for the grid. Of the cases that have the same number of tokens and the same hidden
size, the one with the shortest sequences counts. --picture draws the pair's speed-ups over tuned
Triton, and needs matplotlib. The second prints each case of any list_bench.
"""

import argparse
import math
import pathlib

from lora_tile.bench import plots, results
from lora_tile.bench.cases import OPS

PEERS = {"tuned Triton": "triton-tuned", "untuned": "triton-default", "cuBLAS": "cublas"}
WITH, WITHOUT = ["lora-tile-pdl", "lora-tile-two-pdl"], ["lora-tile", "lora-tile-two"]
SHOWN = [1024, 4096, 16384]
FEW_TOKENS = 512
MANY = 4096


def mean(values):
    """The geometric mean."""
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values))


class Cell:
    def __init__(self, row, copy):
        case = row["case"]
        self.row, self.copy, self.hidden = row, copy, case["hidden"]
        self.tokens = case["batch"] * case["seq_length"]
        self.sequence = case["seq_length"]

    def us(self, op, impls):
        return results.best(self.row, op, impls)["us"]

    def speed_up(self, op, peer, impls=results.OURS):
        return self.us(op, [peer]) / self.us(op, impls)

    def floor(self, op):
        return self.row["bytes"][op] / self.copy * 1e6

    def of_copy(self, op, impls=results.OURS):
        return self.floor(op) / self.us(op, impls)


def read(paths):
    cells = {}
    for path in paths:
        document = results.load(path)
        for row in document["rows"]:
            cell = Cell(row, document["copy_bytes_per_second"])
            place = cell.tokens, cell.hidden
            if place not in cells or cell.sequence < cells[place].sequence:
                cells[place] = cell
    return [cells[place] for place in sorted(cells)]


def print_table(head, lines):
    print("| " + " | ".join(map(str, head)) + " |\n" + "| --- " * len(head) + "|")
    for line in lines:
        print("| " + " | ".join(map(str, line)) + " |")
    print()


def print_times(cells):
    columns = ["lora-tile", *WITH, "lora-tile-two", "triton-tuned", "triton-default", "cublas"]
    columns = sorted(columns, key=results.IMPLS.index)
    lines = [
        [cell.tokens, cell.hidden, *(f"{cell.us('pair', [name]):.2f}" for name in columns),
         f"{cell.floor('pair'):.2f}"]
        for cell in cells if cell.hidden in SHOWN
    ]  # fmt: skip
    print_table(["tokens", "hidden", *columns, "floor"], lines)


def print_speed_ups(cells):
    few = [cell for cell in cells if cell.tokens <= FEW_TOKENS]
    lines = []
    for op in OPS:
        for name, peer in PEERS.items():
            worst = min(cells, key=lambda cell: cell.speed_up(op, peer))
            slower = [cell for cell in cells if cell.speed_up(op, peer) < 1]
            means = [
                f"{mean(cell.speed_up(op, peer, impls) for cell in some):.2f}"
                for impls in (results.OURS, WITHOUT) for some in (cells, few)
            ]  # fmt: skip
            place = f"{worst.speed_up(op, peer):.3f} at {worst.tokens} x {worst.hidden}"
            lines.append([op, name, *means, place, len(slower)])
    head = ["op", "over", "all", f"<= {FEW_TOKENS}", "no pdl, all", f"no pdl, <= {FEW_TOKENS}",
            "least", "slower"]  # fmt: skip
    print_table(head, lines)
    for op in OPS:
        for name, peer in PEERS.items():
            for cell in cells:
                if cell.speed_up(op, peer) < 1:
                    print(f"{op} at {cell.tokens} x {cell.hidden}: {cell.speed_up(op, peer):.3f} "
                          f"times as fast as {name}")  # fmt: skip
    print()


def print_bandwidth(cells):
    cells = [cell for cell in cells if cell.tokens >= MANY and cell.hidden >= MANY]
    lines = []
    for op in OPS:
        for name, impls in (("best", results.OURS), ("with", WITH), ("without", WITHOUT)):
            parts = [cell.of_copy(op, impls) for cell in cells]
            enough = sum(part >= 0.9 for part in parts)
            lines.append([op, name, f"{mean(parts):.1%}", f"{min(parts):.1%}", f"{max(parts):.1%}",
                          f"{enough} of {len(parts)}"])  # fmt: skip
    print_table(["op", "programmatic launch", "mean", "least", "most", ">= 90 %"], lines)
    tokens, hidden = ({getattr(cell, name): None for cell in cells} for name in ("tokens", "hidden"))
    for op in OPS:
        lines = [
            [count, *(f"{cell.of_copy(op):.0%}" for cell in cells if cell.tokens == count)]
            for count in tokens
        ]
        print_table([op, *hidden], lines)


def print_cases(paths):
    """Times, and how many times as fast as tuned Triton, of each case."""
    lines, ratios = [], {op: [] for op in OPS}
    for path in paths:
        for row in results.load(path)["rows"]:
            case, cell = row["case"], Cell(row, 1)
            line = [case["batch"] * case["seq_length"], case["hidden"], len(case["widths"]),
                    case["rank"], case["active"], case["dtype"]]  # fmt: skip
            for op in OPS:
                ratio = cell.speed_up(op, "triton-tuned")
                ratios[op].append(ratio)
                line += [f"{cell.us(op, results.OURS):.2f}", f"{ratio:.2f}"]
            lines.append(line)
    over = [text for op in OPS for text in (op, "over Triton")]
    print_table(["tokens", "hidden", "slices", "rank", "adapters", "type", *over], lines)
    for op, found in ratios.items():
        print(f"{op}: {mean(found):.2f} in the mean, {min(found):.2f} at least")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs", nargs="+", type=pathlib.Path, metavar="RUN.json")
    parser.add_argument("--picture", type=pathlib.Path, metavar="FILE.svg")
    parser.add_argument("--by-case", action="store_true")
    options = parser.parse_args()
    if options.by_case:
        print_cases(options.runs)
        return
    cells = read(options.runs)
    print(f"{len(cells)} cells\n")
    print_times(cells)
    print_speed_ups(cells)
    print_bandwidth(cells)
    if options.picture:
        rows = sorted((cell.row for cell in cells), key=lambda row: row["case"]["hidden"])
        title = "Shrink and expand: times as fast as tuned Triton (NVIDIA H200, f16, rank 16)"
        options.picture.write_text(plots.heat_map(rows, "pair", title))


if __name__ == "__main__":
    main()
