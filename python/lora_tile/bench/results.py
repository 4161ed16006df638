# Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results of a run: the JSON document, the table and CSV made of it.

A document has `format` 1, `device`, `versions`, `method`, `copy_bytes_per_second` and `rows`. A row
is a case: `case` with its fields, `key`, and `results`, one for each op and implementation:

    op, impl     what ran: shrink, expand, pair, or layer, which is what a pair adds between two
                 products; one of IMPLS
    us           median time of one call in microseconds
    low, high    first and third quartile of the replays
    config       what was chosen, and `candidates`, among how many
    error        ||out - ref|| / ||ref|| against float64
    failed       why there is no time, in place of all the others
    gemms_us     of a layer: median time of the two products alone
    layer_us     of a layer: median time of products and pair; `us` is the difference
"""

import csv
import json
import os
import pathlib

from lora_tile.errors import Error

# In the order of the table's columns. "lora-tile" is one launch for each op, shrink_expand for a
# pair; "-pdl" is with programmatic dependent launch; "-two" is a pair of two launches.
IMPLS = [
    "lora-tile", "lora-tile-pdl", "lora-tile-two", "lora-tile-two-pdl", "triton-tuned",
    "triton-default", "vllm", "cublas",
]  # fmt: skip
OURS = [impl for impl in IMPLS if impl.startswith("lora-tile")]


def find(row, op, impl):
    """A result of a row, or None."""
    for result in row["results"]:
        if result["op"] == op and result["impl"] == impl:
            return result
    return None


def microseconds(row, op, impl):
    """A result's time, or None where there is none."""
    result = find(row, op, impl)
    return result.get("us") if result else None


def best(row, op, impls):
    """The fastest result among implementations, or None."""
    timed = [r for r in (find(row, op, impl) for impl in impls) if r and "us" in r]
    return min(timed, key=lambda result: result["us"], default=None)


def load(path):
    """A document; Error if the file does not hold one."""
    try:
        document = json.loads(pathlib.Path(path).read_text())
    except (OSError, ValueError) as error:
        raise Error(f"{path}: expected the JSON of a run ({error})") from None
    if not isinstance(document, dict) or document.get("format") != 1:
        raise Error(f"{path}: expected the JSON of a run, of format 1")
    if not isinstance(document.get("rows"), list):
        raise Error(f"{path}: found no list 'rows', expected the JSON of a run")
    for number, row in enumerate(document["rows"]):
        if not isinstance(row, dict) or not {"key", "case", "results"} <= row.keys():
            raise Error(f"{path}: rows[{number}]: expected an object with key, case and results")
    return document


def write_text(path, text):
    """Writes a file wholly or not at all."""
    partial = pathlib.Path(f"{path}.partial")
    try:
        partial.write_text(text)
        os.replace(partial, path)
    except OSError as error:
        raise Error(f"{path}: cannot be written ({error.strerror})") from None


def save(path, document):
    write_text(path, json.dumps(document, indent=1) + "\n")


def shape_text(case):
    widths = case["widths"]
    same = len(set(widths)) == 1
    y = f"{len(widths)}x{widths[0]}" if same and len(widths) > 1 else "+".join(map(str, widths))
    return f"{case['hidden']}->{y}"


def format_us(value):
    return "-" if value is None else f"{value:.2f}" if value < 100 else f"{value:.1f}"


HEADER = [
    "model", "tokens", "shape", "rank", "loras", "op", "lora-tile", "pdl", "two", "two-pdl",
    "triton", "untuned", "vllm", "cublas", "gemms", "floor", "of copy", "speed-up", "spread",
    "config",
]  # fmt: skip


def _gemms(row, op):
    """The time of a layer's products, as text."""
    times = [r["gemms_us"] for r in row["results"] if r["op"] == op and "gemms_us" in r]
    return format_us(times[0] if times else None)


def table_row(row, op, copy):
    """Cells of a line of the table."""
    case = row["case"]
    ours = best(row, op, OURS)
    tuned = microseconds(row, op, "triton-tuned")
    floor = row["bytes"][op] / copy * 1e6 if copy else None
    failed = [r for r in row["results"] if r["op"] == op and "failed" in r]
    config = ours.get("config", "") if ours else ""
    if failed:
        config += " FAILED: " + "; ".join(f"{r['impl']}: {r['failed']}" for r in failed)
    return [
        case.get("label") or "-", str(case["batch"] * case["seq_length"]), shape_text(case),
        str(case["rank"]), str(case["num_loras"]), op,
        *(format_us(microseconds(row, op, impl)) for impl in IMPLS), _gemms(row, op),
        format_us(floor),
        f"{floor / ours['us']:.0%}" if ours and floor else "-",
        f"{tuned / ours['us']:.2f}" if ours and tuned else "-",
        f"{(ours['high'] - ours['low']) / ours['us']:.1%}" if ours else "-", config.strip(),
    ]  # fmt: skip


def table_lines(document):
    """The lines of the table, each a list of cells; the first is the header."""
    copy = document.get("copy_bytes_per_second")
    lines = [HEADER]
    for row in document["rows"]:
        lines += [table_row(row, op, copy) for op in row["case"]["ops"]]
    if any("layer" in row["case"]["ops"] for row in document["rows"]):
        return lines
    column = HEADER.index("gemms")
    return [line[:column] + line[column + 1 :] for line in lines]


def table(document):
    """The aligned table, times in microseconds."""
    lines = table_lines(document)
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]) - 1)]
    text = []
    for line in lines:
        cells = [cell.rjust(width) for cell, width in zip(line, widths)]
        text.append("  ".join([*cells, line[-1]]).rstrip())
    return "\n".join(text)


def save_csv(path, document):
    """One line for each result."""
    fields = ["tokens", "batch", "seq_length", "hidden", "widths", "rank", "num_loras", "active",
              "dtype", "sort", "no_lora_fraction", "add_inputs", "label", "op", "impl", "us", "low",
              "high", "bytes", "flops", "floor_us", "error", "config", "failed",
              "gemms_us", "layer_us"]  # fmt: skip
    copy = document.get("copy_bytes_per_second")
    try:
        with open(path, "w", newline="") as file:
            writer = csv.DictWriter(file, fields, extrasaction="ignore", lineterminator="\n")
            writer.writeheader()
            for row in document["rows"]:
                case = row["case"]
                for result in row["results"]:
                    op = result["op"]
                    floor = row["bytes"][op] / copy * 1e6 if copy else ""
                    writer.writerow({
                        **case, **result, "tokens": case["batch"] * case["seq_length"],
                        "widths": "+".join(map(str, case["widths"])), "bytes": row["bytes"][op],
                        "flops": row["flops"][op], "floor_us": floor,
                    })  # fmt: skip
    except OSError as error:
        raise Error(f"{path}: cannot be written ({error.strerror})") from None
