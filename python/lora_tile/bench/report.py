# Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One self-contained HTML page about one or more runs."""

import html

from lora_tile.bench import results

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 78rem; margin: 2rem auto; padding: 0 1rem;
  color: #222; background: #fff; }
table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; }
th, td { padding: 2px 8px; text-align: right; border-bottom: 1px solid #ddd; white-space: nowrap; }
th { cursor: pointer; background: #f4f4f4; position: sticky; top: 0; }
th[aria-sort=ascending]::after { content: " \\25b2"; }
th[aria-sort=descending]::after { content: " \\25bc"; }
td:last-child, th:last-child { text-align: left; }
figure { margin: 1.5rem 0; } figcaption { max-width: 60rem; }
svg { max-width: 100%; height: auto; }
.wide { overflow-x: auto; }
"""

# Numbers sort as numbers; what is not a number goes last.
SCRIPT = """
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  table.querySelectorAll("th").forEach((head, column) => head.addEventListener("click", () => {
    const down = head.getAttribute("aria-sort") === "ascending";
    table.querySelectorAll("th").forEach(other => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const text = row => row.cells[column].textContent;
    const compare = (a, b) => {
      const x = parseFloat(text(a)), y = parseFloat(text(b));
      if (isNaN(x) && isNaN(y)) return text(a).localeCompare(text(b)) * (down ? -1 : 1);
      if (isNaN(x) || isNaN(y)) return isNaN(x) - isNaN(y);
      return (x - y) * (down ? -1 : 1);
    };
    [...body.rows].sort(compare).forEach(row => body.appendChild(row));
  }));
}
"""

LEGEND = {
    "lora-tile": "lora-tile, one launch (shrink_expand for a pair)",
    "pdl": "the same with programmatic dependent launch",
    "two": "lora-tile, a pair of two launches",
    "two-pdl": "the same with programmatic dependent launch",
    "triton": "Triton, the fastest of its configurations",
    "untuned": "Triton with the usual configuration",
    "vllm": "vLLM's own kernels, as it configures them",
    "cublas": "cuBLAS for one adapter, which is less work than the others do",
    "gemms": "the two products of a layer; the times beside it are what a pair adds between them",
    "floor": "bytes that must move, at the bandwidth of a copy in the same run",
    "of copy": "floor over lora-tile's best time",
    "speed-up": "tuned Triton over lora-tile's best time",
    "spread": "range between the quartiles of lora-tile's best",
}


def _table(document):
    header, *lines = results.table_lines(document)
    head = "".join(
        f'<th title="{html.escape(LEGEND.get(name, ""))}">{name}</th>' for name in header
    )
    body = "\n".join(
        "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in line) + "</tr>"
        for line in lines
    )
    return (
        f'<div class="wide"><table class="sortable"><thead><tr>{head}</tr></thead>\n'
        f"<tbody>{body}</tbody></table></div>"
    )


def _passes(document):
    """The table of what LoRA adds to whole models; empty without any."""
    passes = document.get("passes", [])
    if not passes:
        return ""
    head = "".join(f"<th>{h}</th>" for h in ("model", "tokens", "rank", "ms", "added", "LoRA by"))
    body = ""
    for line in passes:
        base = line.get("base_ms")
        added = f"{line['ms'] - base:.3f} ms ({line['ms'] / base - 1:+.1%})" if base else ""
        cells = (
            line.get("model", ""), line["tokens"], line["rank"] or "", f"{line['ms']:.3f}", added,
            "none" if line["impl"] == "base" else line["impl"],
        )  # fmt: skip
        body += "<tr>" + "".join(f"<td>{html.escape(str(cell))}</td>" for cell in cells) + "</tr>\n"
    return (
        "<h3>Forward passes of a whole model</h3>"
        f'<div class="wide"><table class="sortable"><thead><tr>{head}</tr></thead>\n'
        f"<tbody>{body}</tbody></table></div>"
    )


def _figures(document):
    from lora_tile.bench import plots

    return "\n".join(
        f"<figure>{svg}<figcaption>{html.escape(caption)}</figcaption></figure>"
        for caption, svg in plots.figures(document)
    )


def _section(document, with_plots):
    device = document.get("device", {})
    method = document.get("method", {})
    versions = ", ".join(f"{k} {v}" for k, v in document.get("versions", {}).items())
    copy = document.get("copy_bytes_per_second") or 0
    lines = [
        f"<h2>{html.escape(device.get('name', 'unknown device'))}, "
        f"{html.escape(document.get('date', ''))}</h2>",
        f"<p>Microseconds of a call, the median of {method.get('replays')} replays of a CUDA graph "
        f"of {method.get('calls_in_graph')} calls over up to {method.get('arg_pool_size')} sets of "
        f"arguments. A copy on the device moved {copy / 1e12:.2f} TB/s (read and write) in the "
        f"same run. {html.escape(versions)}.</p>",
        _passes(document),
        _figures(document) if with_plots and document["rows"] else "",
        "<h3>All results</h3><p>A click on a heading sorts by it.</p>" if document["rows"] else "",
        _table(document) if document["rows"] else "",
    ]
    return "\n".join(lines)


def page(documents, plots=True):
    """The page as text; needs no network. With `plots`, matplotlib draws; Error without it."""
    legend = "".join(f"<li><b>{k}</b>: {html.escape(v)}</li>" for k, v in LEGEND.items())
    sections = "\n".join(_section(document, plots) for document in documents)
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f"<title>lora-tile benchmark</title><style>{STYLE}</style></head><body>\n"
        f"<h1>Multi-LoRA kernels against the hardware, Triton and cuBLAS</h1><ul>{legend}</ul>\n"
        f"{sections}\n<script>{SCRIPT}</script></body></html>\n"
    )
