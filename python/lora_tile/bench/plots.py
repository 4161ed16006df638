# Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plots of a run, as SVG text, drawn by matplotlib."""

import io
import re

from lora_tile.bench import results
from lora_tile.errors import Error

TITLES = {
    "shrink": "shrink", "expand": "expand", "pair": "shrink and expand",
    "layer": "shrink and expand between two products",
}  # fmt: skip
LINES = [
    ("lora-tile, best", results.OURS, dict(color="#c03a2b", linewidth=2, marker="o")),
    ("Triton, tuned", ["triton-tuned"], dict(color="#2b6cb0", marker="s")),
    ("Triton, untuned", ["triton-default"], dict(color="#2b6cb0", linestyle=":", marker="^")),
    ("cuBLAS, one adapter", ["cublas"], dict(color="#2f855a", linestyle="--")),
]


def _matplotlib():
    try:
        import matplotlib
    except ModuleNotFoundError:
        raise Error(
            "report: found no Python package 'matplotlib', expected it; --no-plots needs none"
        ) from None
    matplotlib.use("svg")
    # Text stays text, which keeps the page small and searchable; ids do not depend on the run.
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "lora-tile"})
    import matplotlib.pyplot

    return matplotlib.pyplot


def _svg(pyplot, figure, prefix):
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", bbox_inches="tight", metadata={"Date": None})
    pyplot.close(figure)
    text = buffer.getvalue()
    text = text[text.index("<svg") :]
    # All figures of a page share one name space of ids.
    text = re.sub(r'(id="|url\(#|href="#)', rf"\g<1>{prefix}-", text)
    return re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)


def _groups(document, op):
    """Rows with `op` by what they have in common, apart from tokens and hidden size."""
    groups = {}
    for row in document["rows"]:
        case = row["case"]
        if op not in case["ops"]:
            continue
        name = f"rank {case['rank']}, {case['num_loras']} adapters, {case['dtype']}"
        name += "" if case["sort"] else ", unsorted"
        name += f", {len(case['widths'])} slices" if len(case["widths"]) > 1 else ""
        name += "" if case["add_inputs"] else ", overwriting y"
        name += f", sequences of {case['seq_length']}" if case["seq_length"] > 1 else ""
        groups.setdefault(name, []).append(row)
    return groups


def _tokens(row):
    return row["case"]["batch"] * row["case"]["seq_length"]


def _layer(row):
    case = row["case"]
    return case.get("label") or results.shape_text(case)


def _in_order(values):
    return list(dict.fromkeys(values))


def _heat_map(pyplot, rows, op, title):
    layers, tokens = _in_order(map(_layer, rows)), sorted({_tokens(row) for row in rows})
    grid = [[float("nan")] * len(tokens) for _ in layers]
    for row in rows:
        ours = results.best(row, op, results.OURS)
        tuned = results.microseconds(row, op, "triton-tuned")
        if ours and tuned:
            grid[layers.index(_layer(row))][tokens.index(_tokens(row))] = tuned / ours["us"]
    figure, axes = pyplot.subplots(figsize=(1.6 + 0.75 * len(tokens), 1.2 + 0.42 * len(layers)))
    # As far from yellow, which is no speed-up, at half the time as at twice the time.
    norm = pyplot.matplotlib.colors.LogNorm(0.4, 2.5)
    image = axes.imshow(grid, cmap="RdYlGn", norm=norm, aspect="auto")
    for y, line in enumerate(grid):
        for x, value in enumerate(line):
            if value == value:
                axes.text(x, y, f"{value:.2f}", ha="center", va="center", fontsize=9)
    axes.set_xticks(range(len(tokens)), tokens)
    axes.set_yticks(range(len(layers)), layers)
    axes.set_xlabel("tokens")
    axes.set_title(title, fontsize=10)
    bar = figure.colorbar(image)
    bar.set_ticks([0.5, 1, 2], labels=["0.5", "1", "2"])
    bar.minorticks_off()
    return figure


def _curves(pyplot, rows, op, copy, title):
    layers = _in_order(map(_layer, rows))
    columns = min(3, len(layers))
    lines = -(-len(layers) // columns)
    figure, grid = pyplot.subplots(
        lines, columns, figsize=(4.2 * columns, 3.1 * lines), squeeze=False, sharex=True,
        layout="constrained",
    )  # fmt: skip
    for axes in grid.flat[len(layers) :]:
        axes.set_axis_off()
    for axes, layer in zip(grid.flat, layers):
        mine = sorted((row for row in rows if _layer(row) == layer), key=_tokens)
        for label, impls, style in LINES:
            points = [(_tokens(row), results.best(row, op, impls)) for row in mine]
            points = [(tokens, result["us"]) for tokens, result in points if result]
            if points:
                axes.plot(*zip(*points), label=label, markersize=4, **style)
        if copy:
            floor = [row["bytes"][op] / copy * 1e6 for row in mine]
            axes.plot([_tokens(row) for row in mine], floor, color="#555", label="roofline")
        axes.set_xscale("log", base=2)
        axes.xaxis.set_major_formatter("{x:.0f}")
        axes.set_yscale("log")
        axes.set_title(layer, fontsize=9)
        axes.grid(True, which="major", alpha=0.3)
    figure.suptitle(title, fontsize=10)
    figure.supxlabel("tokens")
    figure.supylabel("microseconds")
    grid[0][0].legend(fontsize=7)
    return figure


def heat_map(rows, op, title):
    """The SVG of the speed-ups over tuned Triton in rows that differ in tokens and shape alone."""
    pyplot = _matplotlib()
    return _svg(pyplot, _heat_map(pyplot, rows, op, title), "heat")


def figures(document):
    """(caption, SVG) of each figure: speed-ups over tuned Triton, and times against tokens."""
    pyplot = _matplotlib()
    copy = document.get("copy_bytes_per_second")
    made = []
    for op in reversed(TITLES):
        for name, rows in _groups(document, op).items():
            title = f"{TITLES[op]}: {name}"
            prefix = f"figure{len(made)}"
            heat = _heat_map(pyplot, rows, op, title)
            made.append((
                f"Speed-up of {title}: the time of tuned Triton over lora-tile's.",
                _svg(pyplot, heat, prefix + "h"),
            ))  # fmt: skip
            curves = _curves(pyplot, rows, op, copy, title)
            made.append((
                f"Times of {title}. The roofline is the bytes that must move at the bandwidth of a "
                "copy; small shapes are bound by latency long before they reach it.",
                _svg(pyplot, curves, prefix + "c"),
            ))  # fmt: skip
    return made
