# Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Configurations of the shipped kernels that are worth measuring on a large GPU.

Which of them a kernel's `where` clauses allow, lora-compile knows; what is left out here would only
waste time: blocks that spill, or that leave warps idle, and for a given shape those that leave most
of the GPU or of a block idle.
"""

import dataclasses
import itertools
import math

from lora_tile.mapping import max_row_blocks

OPS = ("shrink", "expand", "shrink_expand")

# Multiprocessors of a large GPU.
PROCESSORS = 132


@dataclasses.dataclass(frozen=True)
class Shape:
    """What decides which configurations suit: `tokens` have one of `adapters`, and `width` is that
    of the widest slice."""

    tokens: int
    adapters: int
    slices: int
    hidden: int
    width: int


def rank_tile(rank):
    """The rank as kernels round it up, to a power of two from 16 on."""
    return max(16, power_above(rank))


def power_above(value):
    """The least power of two that is not below a value."""
    return 1 << max(value - 1, 0).bit_length()


@dataclasses.dataclass(frozen=True)
class Blocks:
    """BLOCK_K, STAGES and RING: how many blocks are under way, and where."""

    size: int
    stages: int = 1
    ring: int = 1

    def config(self):
        return dict(BLOCK_K=self.size, STAGES=self.stages, RING=self.ring)


DIRECT = Blocks(128)
IN_REGISTERS = (Blocks(128, 2, 0), Blocks(64, 2, 0))


def _shrink_blocks(m, block_n):
    if block_n >= 64:
        return (Blocks(64, 3), Blocks(64, 4))
    rings = (Blocks(128, 2), Blocks(128, 3), Blocks(128, 4), Blocks(64, 3), Blocks(64, 4))
    return (DIRECT, *rings, *(IN_REGISTERS if m == 16 else ()))


def _shrink_fits(m, block_n, blocks, split, warps, warps_k):
    """Whether a block has the registers and the shared memory that it needs, and warps for them."""
    k, in_ring = blocks.size, blocks.stages > 1 and blocks.ring
    if m * block_n * warps_k > 512 * warps or k * (m + block_n) * warps_k > 8192 * warps:
        return False
    if block_n >= 32 and k == 128 and not in_ring:
        return False
    ring = blocks.stages * warps_k * (m + block_n) * k * 2 if in_ring else 0
    if ring + (split * m * block_n * 4 if split > 1 else 0) > 227 << 10:
        return False
    return not (m == 64 and split > 4 or blocks.stages == 4 and k == 128 and warps_k > 2)


def _shrink(rank):
    most = rank_tile(rank)
    shapes = [
        (16, 4, 4), (16, 8, 8), (32, 4, 4), (32, 4, 2), (32, 8, 4), (64, 4, 2), (64, 4, 1),
        (64, 8, 2),
    ]  # fmt: skip
    # The operands of wide products are worth sharing among warps.
    wide = [(16, 4, 1), (32, 4, 1), (32, 8, 1), (64, 8, 1)]
    widths = {most} if most <= 32 else {16, 32, 64, min(most, 128)}
    for block_n in sorted(widths):
        for m, warps, warps_k in shapes if block_n <= 32 else wide:
            if m > 16 and block_n < min(most, 32):
                continue
            for blocks, split in itertools.product(_shrink_blocks(m, block_n), (1, 2, 4, 8)):
                if _shrink_fits(m, block_n, blocks, split, warps, warps_k):
                    yield dict(BLOCK_M=m, BLOCK_N=block_n, SPLIT_K=split, WARPS=warps,
                               WARPS_K=warps_k, **blocks.config())  # fmt: skip


def _expand(rank):
    most = rank_tile(rank)
    shapes = [
        (16, 64, 2), (16, 128, 4), (16, 256, 4), (16, 256, 8), (32, 64, 4), (32, 128, 4),
        (32, 128, 8), (32, 256, 4), (64, 64, 4), (64, 64, 8), (64, 128, 4), (64, 128, 8),
        (64, 256, 8), (128, 64, 4), (128, 64, 8), (128, 128, 8),
    ]  # fmt: skip
    if most >= 64:
        shapes += [(64, 32, 2), (64, 32, 4), (128, 32, 4)]
    # What a warp has of y, beside its operands.
    elements = 2048 if most <= 32 else 1024 if most == 64 else 512
    products = [
        ((m, n, warps), dict(BLOCK_K=min(most, 64)))
        for m, n, warps in shapes
        if m * n <= elements * warps
    ]
    # Rows of s that are kept leave registers for the weights of taller blocks.
    tall = [(32, 64, 2), (32, 128, 4), (64, 64, 4), (64, 128, 8)]
    if most >= 64 and most != 128:
        products += [(shape, dict(BLOCK_K=64, KEEP=1)) for shape in tall]
    if most == 128:
        deep = [(16, 64, 2), (16, 128, 4), (64, 32, 2), (128, 32, 4)]
        products += [(shape, dict(BLOCK_K=128)) for shape in deep]
        products += [(shape, dict(BLOCK_K=128, KEEP=1)) for shape in tall]
    for ((m, n, warps), operands), programs in itertools.product(
        products, (1, 2, 4, 8, 16, 32, 64, 128)
    ):
        # Taller blocks are for batches that fill the GPU by themselves.
        if programs > (128 if m == 16 or n == 32 else 64 if m == 32 else 32):
            continue
        yield dict(BLOCK_M=m, BLOCK_N=n, PROGRAMS_N=programs, MAX_RANK=most, WARPS=warps,
                   **operands)  # fmt: skip


def _shrink_expand(rank):
    most = rank_tile(rank)
    wide = most >= 64
    few = itertools.product(
        [(16, 4, 4), (16, 8, 8)], (128, 256, 512), (2, 4, 8, 16), (1, 2, 4),
        (Blocks(64), Blocks(64, 3)) if wide else (DIRECT, Blocks(64), Blocks(64, 3), *IN_REGISTERS),
    )  # fmt: skip
    many = itertools.product(
        [(32, 4, 2), (32, 4, 4), (32, 8, 4), (64, 4, 1), (64, 8, 2)], (128, 256), (1, 2, 4, 8),
        (1, 2), (Blocks(64), Blocks(64, 3)) if wide else (DIRECT, Blocks(128, 3)),
    )  # fmt: skip
    for (m, warps, warps_k), n, split, split_n, blocks in itertools.chain(few, many):
        if m * most * warps_k > 1024 * warps or m * n > 2048 * warps or warps_k * split > 64:
            continue
        if m // 16 * (n // 32) < warps or most * (m + n) > 8192 * warps:
            continue
        if blocks.stages > 1 and blocks.ring and (n == 512 or warps_k > 4):
            continue
        if m == 16 and blocks.stages > 1 and split_n > 2:
            continue
        if m > 16 and (split_n > 1 and split == 1 or m == 64 and split > 4):
            continue
        yield dict(BLOCK_M=m, BLOCK_N=n, MAX_RANK=most, SPLIT_K=split, SPLIT_N=split_n,
                   WARPS=warps, WARPS_K=warps_k, **blocks.config())  # fmt: skip


def candidates(op, rank, add_inputs=True):
    """Configurations of `op` for a rank, each a dict of parameters for lora-compile --set."""
    found = {"shrink": _shrink, "expand": _expand, "shrink_expand": _shrink_expand}[op](rank)
    for config in found:
        if op == "expand" and not add_inputs:
            config["ADD_INPUTS"] = 0
        yield config


def _suits_expand(config, shape, blocks):
    programs = config["PROGRAMS_N"]
    blocks_n = -(-shape.width // config["BLOCK_N"])
    if programs > power_above(blocks_n):
        return False
    launched = blocks * shape.slices * programs
    fewer_blocks_idle = launched >= PROCESSORS // 2 or 2 * programs > blocks_n
    return fewer_blocks_idle and (programs == 1 or launched <= 128 * PROCESSORS)


def _suits_split(config, shape, blocks):
    split = config["SPLIT_K"]
    parts = split * config["WARPS_K"] * config["BLOCK_K"]
    # Some kernels have no way not to split.
    is_split = split > 2 or config.get("SPLIT_N", 1) > 1
    if split > 2 and parts > 2 * shape.hidden:
        return False
    launched = blocks * shape.slices * split * config.get("SPLIT_N", 1)
    if is_split and launched > 4 * PROCESSORS:
        return False
    # Four times as many programs would still find idle multiprocessors and columns of their own.
    return not (split <= 2 and 4 * launched <= PROCESSORS and 4 * parts <= 2 * shape.hidden)


def suits(op, config, shape):
    """Whether a configuration, a dict of parameters, may be the fastest for a Shape."""
    # What assumes less than the rows have is slower.
    if any(config.get(name, 8) < math.gcd(8, size)
           for name, size in (("ALIGN", shape.hidden), ("Y_ALIGN", shape.width))):  # fmt: skip
        return False
    rows = config["BLOCK_M"]
    most = power_above(-(-shape.tokens // max(shape.adapters, 1)))
    if rows > max(16, 2 * most if op == "expand" else most):
        return False
    blocks = max_row_blocks(shape.tokens, shape.adapters, rows)
    # Low blocks of a large batch read the weights too often.
    if rows < 128 and blocks > 16 * PROCESSORS:
        return False
    if op == "expand":
        return _suits_expand(config, shape, blocks)
    if op == "shrink_expand":
        blocks_n = -(-shape.width // config["BLOCK_N"])
        if config["SPLIT_N"] > 1 and config["SPLIT_N"] * config["SPLIT_K"] > 2 * blocks_n:
            return False
    # Several blocks under way need several.
    parts = config["SPLIT_K"] * config["WARPS_K"] * config["BLOCK_K"]
    if config["STAGES"] > 1 and shape.hidden < 2 * parts:
        return False
    return _suits_split(config, shape, blocks)
