# Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks one of kernels/map_tokens*.ptx, the file given, against what it has to build."""

import json
import pathlib
import random
import sys

import ptx_threads

BLOCK_SIZES = (16, 32, 64, 128)
IDLE = (-1, -1, -1, -1)


class Buffers:
    """Global memory with gaps between the buffers. Results begin with what no kernel writes."""

    def __init__(self):
        self.memory = {}
        self.end = 256

    def add(self, count, words=None):
        start = self.end
        for i in range(count):
            self.memory[start + 4 * i] = words[i] & ptx_threads.WORD if words else 0x77777777
        self.end = (start + 4 * count) // 256 * 256 + 512
        return start

    def read(self, start, count):
        return [ptx_threads.signed(self.memory[start + 4 * i]) for i in range(count)]


def expected_tables(positions, max_tokens, max_loras):
    """The four tables, from the first and end position of each slot in use."""
    adapters = min(max_tokens, max_loras)
    entries = []
    for size in BLOCK_SIZES:
        used = [
            (slot, first, min(first + size, end), 0)
            for slot, (begin, end) in positions.items()
            for first in range(begin, end, size)
        ]
        capacity = (max_tokens + adapters * (size - 1)) // size
        entries += used + [IDLE] * (capacity - len(used))
    return entries


def check(kernel, manifest, slots, max_tokens, max_loras, threads):
    listed, positions, start = {}, {}, 0
    for token, slot in enumerate(slots):
        if 0 <= slot < max_loras:
            listed.setdefault(slot, []).append(token)
    for slot in sorted(listed):
        positions[slot] = (start, start + len(listed[slot]))
        start += len(listed[slot])
    tables = expected_tables(positions, max_tokens, max_loras)

    buffers = Buffers()
    token_lora = buffers.add(len(slots), slots)
    indices, ranks = buffers.add(max_tokens), buffers.add(max_tokens)
    row_blocks, bad = buffers.add(4 * len(tables)), buffers.add(1)
    arguments = [token_lora, indices, ranks, row_blocks, bad, len(slots), max_tokens, max_loras]
    ptx_threads.run(
        kernel,
        arguments,
        buffers.memory,
        threads,
        manifest["sharedBytes"],
        seed=len(slots),
        blocks=manifest["cluster"][0],
    )

    assert buffers.read(bad, 1) == [sum(slot != -1 and not 0 <= slot < max_loras for slot in slots)]
    found = buffers.read(row_blocks, 4 * len(tables))
    assert list(zip(*[iter(found)] * 4)) == tables
    for slot, (begin, end) in positions.items():
        assert sorted(buffers.read(indices, end)[begin:]) == listed[slot], f"slot {slot}"
    print(f"{len(slots)} tokens of {max_tokens}, {max_loras} slots: as expected")


def main():
    path = pathlib.Path(sys.argv[1])
    kernel = ptx_threads.Kernel(path.read_text())
    manifest = json.loads(path.with_suffix(".json").read_text())
    source = random.Random(5)

    def slots(tokens, low, high):
        return [source.randint(low, high) for _ in range(tokens)]

    # With fewer threads a cluster does the same, in more rounds, and sooner here.
    is_cluster = manifest["cluster"][0] > 1
    threads = 96 if is_cluster else manifest["threads"]
    for given, max_tokens, max_loras in [
        ([], 10, 3),
        ([0], 1, 1),
        (slots(50, -1, 3), 64, 4),
        (slots(1100, -2, 257), 1500, 256),
        ([7] * 1500, 1500, 9),
        # More slots than threads. Ranks and positions do not fit into the shared memory of a block.
        (sorted(slots(1100, -1, 300)), 1200, 301) if is_cluster else (slots(1100, -1, 4899), 1200, 4900),
    ]:
        check(kernel, manifest, given, max_tokens, max_loras, threads)
    print("all mappings are as expected")


if __name__ == "__main__":
    main()
