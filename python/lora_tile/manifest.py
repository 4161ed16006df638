# Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled kernels: a folder of cubins, each beside the manifest that lora-compile writes."""

import json
import pathlib

from lora_tile.candidates import rank_tile
from lora_tile.errors import Error
from lora_tile.expressions import evaluate

_FIELDS = ("kernel", "symbol", "target", "types", "config", "arguments", "grid", "threads")


class Kernel:
    """A manifest and the path of its cubin."""

    def __init__(self, path):
        path = pathlib.Path(path)
        try:
            manifest = json.loads(path.read_text())
        except (OSError, ValueError) as error:
            raise Error(f"{path}: expected the manifest of a kernel ({error})") from None
        missing = [field for field in _FIELDS if field not in manifest]
        if missing:
            raise Error(f"{path}: found no field '{missing[0]}', expected the manifest of a kernel")
        self.cubin = path.with_suffix(".cubin")
        if not self.cubin.exists():
            raise Error(f"{self.cubin}: not found, expected beside {path.name}")
        self.name = path.stem
        self.op = manifest["kernel"]
        self.symbol = manifest["symbol"]
        self.target = manifest["target"]
        self.types = manifest["types"]
        self.config = manifest["config"]
        self.arguments = [(item["name"], item["type"]) for item in manifest["arguments"]]
        self.grid_expressions = manifest["grid"]
        self.assumptions = manifest.get("assumptions", [])
        self.threads = manifest["threads"]
        self.shared_bytes = manifest.get("sharedBytes", 0)
        self.cluster = manifest.get("cluster", [1, 1, 1])
        self.workspace_bytes_per_group = manifest.get("workspaceBytesPerGroup", 0)
        self.split_group_size = manifest.get("splitGroupSize", 1)

    def text(self):
        """The configuration as `NAME=VALUE ...`, without what follows from the shape."""
        hidden = ("ALIGN", "RANK_ALIGN", "Y_ALIGN", "ADD_INPUTS", "MAX_RANK")
        return " ".join(f"{k}={v}" for k, v in self.config.items() if k not in hidden)

    def grid(self, values):
        """The grid for a launch; `values` has the kernel's integer arguments by name."""
        names = {**values, **self.config}
        return [evaluate(text, names) for text in self.grid_expressions]

    def broken_assumption(self, values):
        """The first assumption that `values` (integers and addresses) break, or None."""
        names = {**values, **self.config}
        for text in self.assumptions:
            if not evaluate(text, names):
                return text
        return None

    def fits(self, op, dtype, rank, add_inputs):
        """Whether the kernel computes `op` of such a case; alignments are not looked at."""
        if self.op != op or set(self.types.values()) != {dtype}:
            return False
        if op == "expand" and bool(self.config.get("ADD_INPUTS", 1)) != add_inputs:
            return False
        # A wider kernel would compute the same with idle lanes, which is never the better choice.
        tile = rank_tile(rank)
        if op == "shrink" and self.config.get("BLOCK_N", tile) > tile:
            return False
        return self.config.get("MAX_RANK", tile) == tile


def load_folder(folder):
    """Every kernel of a folder, in the order of their names."""
    folder = pathlib.Path(folder)
    if not folder.is_dir():
        raise Error(f"{folder}: no such folder, expected one with cubins and manifests")
    kernels = [Kernel(path) for path in sorted(folder.glob("*.json"))]
    if not kernels:
        raise Error(f"{folder}: found no manifest, expected cubins and manifests of lora-compile")
    return kernels
