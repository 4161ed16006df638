# Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Configurations of the shipped kernels that are worth measuring on a large GPU.

Which of them a kernel's `where` clauses allow, lora-compile knows; what is left out here would only
waste time: blocks that spill, or that leave warps idle.
"""

import itertools

OPS = ("shrink", "expand", "shrink_expand")


def rank_tile(rank):
    """The rank as kernels round it up, to a power of two from 16 on."""
    return max(16, 1 << (rank - 1).bit_length())


def _shrink(rank):
    block_n = min(rank_tile(rank), 64)
    for m, warps, warps_k, k, stages, split in itertools.product(
        (16, 32, 64), (4, 8), (1, 2, 4, 8), (64, 128), (1, 3, 4), (1, 2, 4, 8)
    ):
        if warps % warps_k or warps // warps_k * 16 > m:
            continue
        if m * block_n * warps_k > 1024 * warps or k * (m + block_n) * warps_k > 8192 * warps:
            continue
        if (m >= 64 and (warps_k > 2 or split > 4)) or (stages > 1 and (k == 64 or warps_k > 4)):
            continue
        if k == 64 and split > 2:
            continue
        yield dict(BLOCK_M=m, BLOCK_N=block_n, BLOCK_K=k, SPLIT_K=split, WARPS=warps,
                   WARPS_K=warps_k, STAGES=stages)  # fmt: skip


def _expand(rank):
    most = rank_tile(rank)
    for m, n, warps in itertools.product((16, 32, 64, 128), (64, 128, 256), (2, 4, 8)):
        if m * n <= 2048 * warps and m // 16 * (n // 32) >= warps:
            yield dict(BLOCK_M=m, BLOCK_N=n, BLOCK_K=min(most, 64), MAX_RANK=most, WARPS=warps)


def _shrink_expand(rank):
    most = rank_tile(rank)
    for m, split, warps, warps_k, n, split_n, stages in itertools.product(
        (16, 32, 64), (1, 2, 4, 8), (4, 8), (1, 2, 4, 8), (128, 256, 512), (1, 2, 4), (1, 3)
    ):
        if warps % warps_k or warps // warps_k * 16 > m or m * most * warps_k > 1024 * warps:
            continue
        if m * n > 2048 * warps or m // 16 * (n // 32) < warps:
            continue
        if stages > 1 and (m == 16 or n == 512 or warps_k > 4 or split == 8):
            continue
        if (m > 16 and split_n > 1) or (split == 1 and (m == 16 or split_n > 1)):
            continue
        yield dict(BLOCK_M=m, BLOCK_N=n, BLOCK_K=128, MAX_RANK=most, SPLIT_K=split,
                   SPLIT_N=split_n, WARPS=warps, WARPS_K=warps_k, STAGES=stages)  # fmt: skip


def candidates(op, rank, add_inputs=True):
    """Configurations of `op` for a rank, each a dict of parameters for lora-compile --set."""
    found = {"shrink": _shrink, "expand": _expand, "shrink_expand": _shrink_expand}[op](rank)
    for config in found:
        if op == "expand" and not add_inputs:
            config["ADD_INPUTS"] = 0
        yield config
