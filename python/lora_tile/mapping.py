# Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Row blocks: how kernels learn which rows of a batch have which adapter."""

IDLE = (-1, 0, 0, 0)


def max_row_blocks(tokens, adapters, block_m):
    """The most row blocks of any batch of so many tokens and at most so many adapters."""
    adapters = min(adapters, tokens)
    return (tokens + adapters * (block_m - 1)) // block_m


def row_blocks(groups, block_m):
    """The entries (adapter, first position, end, 0) that a kernel with this BLOCK_M reads.

    `groups` has (adapter, tokens) of each adapter in use, in the order of the tokens sorted by
    adapter. Idle entries fill up to max_row_blocks, as under a captured graph that serves any such
    batch.
    """
    entries, begin = [], 0
    for adapter, count in groups:
        end = begin + count
        entries += [(adapter, i, min(i + block_m, end), 0) for i in range(begin, end, block_m)]
        begin = end
    most = max_row_blocks(begin, len(groups), block_m)
    return entries + [IDLE] * (most - len(entries))
