#!/usr/bin/env python3
# Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Copies an adapter, keeping the first half of the columns of every lora_A.

The result is a valid adapter of a model whose hidden size is half as large.

    narrow.py ADAPTER COPY
"""

import json
import math
import pathlib
import shutil
import sys

ELEMENT_BYTES = {"F16": 2, "BF16": 2, "F32": 4}


def read(path):
    content = path.read_bytes()
    end = 8 + int.from_bytes(content[:8], "little")
    return json.loads(content[8:end]), content[end:]


def narrowed(name, entry, data):
    begin, end = entry["data_offsets"]
    rows, columns = entry["shape"]
    content = data[begin:end]
    if ".lora_A." not in name:
        return entry["shape"], content
    size = ELEMENT_BYTES[entry["dtype"]]
    width = columns // 2
    starts = (row * columns * size for row in range(rows))
    return [rows, width], b"".join(content[start : start + width * size] for start in starts)


def main():
    source, target = map(pathlib.Path, sys.argv[1:])
    shutil.copytree(source, target)
    header, data = read(source / "adapter_model.safetensors")
    contents = []
    position = 0
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        entry["shape"], content = narrowed(name, entry, data)
        assert len(content) == math.prod(entry["shape"]) * ELEMENT_BYTES[entry["dtype"]]
        entry["data_offsets"] = [position, position + len(content)]
        position += len(content)
        contents.append(content)
    text = json.dumps(header).encode()
    size = len(text).to_bytes(8, "little")
    (target / "adapter_model.safetensors").write_bytes(size + text + b"".join(contents))


if __name__ == "__main__":
    main()
