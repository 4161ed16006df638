# Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What changed between two runs, beyond their spread."""

from lora_tile.bench.results import format_us


def spread_of(result):
    """Half of the range between the quartiles, as a fraction of the time."""
    return (result["high"] - result["low"]) / 2 / result["us"]


class Change:
    """A result that is slower, faster, newly failing or gone in the second run."""

    def __init__(self, key, old, new, tolerance):
        self.key = key
        self.old = old
        self.new = new
        if new is None or "us" not in new:
            self.kind = "gone" if new is None else "failed"
        else:
            noise = max(tolerance, spread_of(old) + spread_of(new))
            ratio = new["us"] / old["us"]
            faster = "faster" if ratio < 1 / (1 + noise) else ""
            self.kind = "slower" if ratio > 1 + noise else faster

    def is_regression(self):
        return self.kind in ("slower", "failed", "gone")

    def text(self):
        name = f"{self.old['op']} {self.old['impl']}  {self.key}"
        if self.kind == "gone":
            return f"gone    {name}"
        if self.kind == "failed":
            return f"failed  {name}: {self.new['failed']}"
        ratio = self.new["us"] / self.old["us"] - 1
        times = f"{format_us(self.old['us'])} -> {format_us(self.new['us'])} us"
        return f"{self.kind}  {ratio:+.1%}  {times}  {name}"


def changes(old, new, tolerance, impls=None):
    """Changes from document `old` to `new`, and the number of results compared.

    `tolerance` is the least relative difference that counts. Only the results that were timed in
    `old` are compared, and only in the rows that both documents have; `impls` chooses among them.
    """
    rows = {row["key"]: row for row in new["rows"]}
    found, compared = [], 0
    for row in old["rows"]:
        if row["key"] not in rows:
            continue
        results = {(r["op"], r["impl"]): r for r in rows[row["key"]]["results"]}
        for result in row["results"]:
            if "us" not in result or (impls and result["impl"] not in impls):
                continue
            compared += 1
            change = Change(
                row["key"], result, results.get((result["op"], result["impl"])), tolerance
            )
            if change.kind:
                found.append(change)
    return found, compared
