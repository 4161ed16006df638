# Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A Triton baseline: shrink and expand by the algorithm of vLLM's V1 LoRA kernels.

One plane of the grid serves one active adapter, one row one slice, and the programs of a row the
blocks of that adapter's tokens and of the columns; planes and blocks without tokens leave at once.
Shrink can split its sum over SPLIT_K programs, which add atomically into a zeroed output.
"""

import dataclasses

import torch
import triton
import triton.language as tl

from lora_tile.bench.arguments import SCALING


@triton.jit
def _adapter_rows(token_indices, counts, starts, plane, m_block, BLOCK_M: tl.constexpr):
    """The rows of a block of an adapter's tokens, the last one repeated, and which are its own."""
    count = tl.load(counts + plane)
    start = tl.load(starts + plane)
    position = m_block * BLOCK_M + tl.arange(0, BLOCK_M)
    rows = tl.load(token_indices + start + tl.minimum(position, count - 1))
    return rows.to(tl.int64), position < count


@triton.jit
def _shrink(
    x, a, s, token_indices, counts, starts, ids, tokens, N, K, scaling,
    x_row, a_lora, a_row, s_slice, s_row,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, SPLIT_K: tl.constexpr,
    EVEN_K: tl.constexpr, TABLE: tl.constexpr, DEPENDENT: tl.constexpr,
):  # fmt: skip
    """`a` is the weights of the only slice or, with TABLE, the addresses of those of each slice."""
    plane = tl.program_id(2)
    lora = tl.load(ids + plane)
    if lora < 0:
        return
    program = tl.program_id(0)
    part = program % SPLIT_K
    blocks_m = tl.cdiv(tokens, BLOCK_M)
    m_block = program // SPLIT_K % blocks_m
    n_block = program // SPLIT_K // blocks_m
    if m_block * BLOCK_M >= tl.load(counts + plane):
        return
    rows, own = _adapter_rows(token_indices, counts, starts, plane, m_block, BLOCK_M)
    slice_id = tl.program_id(1)
    weights = a
    if TABLE:
        weights = tl.load(a + slice_id).to(tl.pointer_type(x.dtype.element_ty))
        weights = tl.multiple_of(weights, 16)

    n = n_block * BLOCK_N + tl.arange(0, BLOCK_N)
    n_inside = tl.minimum(n, N - 1)
    k = part * BLOCK_K + tl.arange(0, BLOCK_K)
    x_block = x + rows[:, None] * x_row + k[None, :]
    a_block = weights + lora * a_lora + n_inside[None, :] * a_row + k[:, None]
    if DEPENDENT:
        tl.extra.cuda.gdc_wait()
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for step in range(0, tl.cdiv(K, BLOCK_K * SPLIT_K)):
        if EVEN_K:
            x_tile = tl.load(x_block)
            a_tile = tl.load(a_block)
        else:
            left = K - step * (BLOCK_K * SPLIT_K)
            x_tile = tl.load(x_block, mask=k[None, :] < left, other=0.0)
            a_tile = tl.load(a_block, mask=k[:, None] < left, other=0.0)
        total += tl.dot(x_tile, a_tile)
        x_block += BLOCK_K * SPLIT_K
        a_block += BLOCK_K * SPLIT_K
    if DEPENDENT:
        tl.extra.cuda.gdc_launch_dependents()
    total *= scaling
    out = s + slice_id * s_slice + rows[:, None] * s_row + n[None, :]
    inside = own[:, None] & (n[None, :] < N)
    if SPLIT_K == 1:
        tl.store(out, total, mask=inside)
    else:
        tl.atomic_add(out, total, mask=inside, sem="relaxed")


@triton.jit
def _expand(
    s, b, y, token_indices, counts, starts, ids, begins, widths, b_rows, tokens, K, width, begin,
    s_slice, s_row, b_lora, b_row, y_row,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, EVEN_K: tl.constexpr,
    ADD: tl.constexpr, TABLE: tl.constexpr, ALIGNED: tl.constexpr, DEPENDENT: tl.constexpr,
):  # fmt: skip
    """`b` is the weights of the only slice or, with TABLE, the addresses of those of each slice.

    With TABLE, `begins`, `widths` and `b_rows` have each slice's first column, its columns, and the
    elements of one adapter's weights, all multiples of 16 if ALIGNED; without, `begin`, `width` and
    `b_lora` are those.
    """
    plane = tl.program_id(2)
    lora = tl.load(ids + plane)
    if lora < 0:
        return
    program = tl.program_id(0)
    blocks_m = tl.cdiv(tokens, BLOCK_M)
    m_block = program % blocks_m
    n_block = program // blocks_m
    if m_block * BLOCK_M >= tl.load(counts + plane):
        return
    slice_id = tl.program_id(1)
    N = width
    weights = b
    first = begin
    lora_elements = b_lora
    if TABLE:
        N = tl.load(widths + slice_id)
        if n_block * BLOCK_N >= N:
            return
        first = tl.load(begins + slice_id)
        lora_elements = tl.load(b_rows + slice_id)
        weights = tl.load(b + slice_id).to(tl.pointer_type(y.dtype.element_ty))
        weights = tl.multiple_of(weights, 16)
        if ALIGNED:
            N = tl.multiple_of(N, 16)
            first = tl.multiple_of(first, 16)
            lora_elements = tl.multiple_of(lora_elements, 16)
    rows, own = _adapter_rows(token_indices, counts, starts, plane, m_block, BLOCK_M)

    n = n_block * BLOCK_N + tl.arange(0, BLOCK_N)
    n_inside = tl.minimum(n, N - 1)
    k = tl.arange(0, BLOCK_K)
    s_block = s + slice_id * s_slice + rows[:, None] * s_row + k[None, :]
    b_block = weights + lora * lora_elements + n_inside[None, :] * b_row + k[:, None]
    if DEPENDENT:
        tl.extra.cuda.gdc_wait()
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for step in range(0, tl.cdiv(K, BLOCK_K)):
        if EVEN_K:
            s_tile = tl.load(s_block)
            b_tile = tl.load(b_block)
        else:
            left = K - step * BLOCK_K
            s_tile = tl.load(s_block, mask=k[None, :] < left, other=0.0)
            b_tile = tl.load(b_block, mask=k[:, None] < left, other=0.0)
        total += tl.dot(s_tile.to(b_tile.dtype), b_tile)
        s_block += BLOCK_K
        b_block += BLOCK_K
    if DEPENDENT:
        tl.extra.cuda.gdc_launch_dependents()
    out = y + rows[:, None] * y_row + (first + n)[None, :]
    inside = own[:, None] & (n[None, :] < N)
    if ADD:
        total += tl.load(out, mask=inside, other=0.0).to(tl.float32)
    tl.store(out, total.to(y.dtype.element_ty), mask=inside)


@dataclasses.dataclass(frozen=True)
class Config:
    """How a kernel is cut up; SPLIT_K is shrink's alone."""

    block_m: int
    block_n: int
    block_k: int
    warps: int
    stages: int
    split_k: int = 1
    dependent: bool = False

    def text(self):
        split = f" SPLIT_K={self.split_k}" if self.split_k > 1 else ""
        return (
            f"BLOCK_M={self.block_m} BLOCK_N={self.block_n} BLOCK_K={self.block_k}{split} "
            f"warps={self.warps} stages={self.stages}{' dependent' if self.dependent else ''}"
        )


def default_shrink(case):
    few = case.tokens < 128
    return Config(32, 16, 256 if few else 32, 4, 2, 64 if few else 8)


def default_expand(case):
    return Config(64, 64 if case.slices > 1 else 128, 32, 4, 2)


def tuned_shrink(case):
    """20 configurations, from a handful of tokens to blocks that fill a GPU by themselves."""
    n = min(max(16, triton.next_power_of_2(case.rank)), 64)
    return [
        Config(m, n, k, warps, stages, split)
        for m, k, split, warps, stages in [
            (16, 128, 16, 4, 3), (16, 128, 32, 4, 2), (16, 256, 16, 4, 2), (16, 256, 8, 4, 3),
            (16, 256, 64, 4, 2), (16, 512, 8, 4, 2), (16, 128, 8, 4, 4), (16, 256, 4, 4, 4),
            (32, 256, 16, 4, 2), (32, 256, 8, 4, 3), (32, 128, 8, 4, 4), (32, 128, 4, 4, 4),
            (32, 256, 4, 4, 3), (32, 256, 2, 8, 3), (32, 256, 1, 4, 3), (32, 128, 1, 4, 5),
            (64, 128, 8, 4, 4), (64, 128, 4, 4, 4), (64, 128, 2, 8, 4), (64, 128, 1, 8, 4),
        ]
    ]  # fmt: skip


def tuned_expand(case):
    """15 configurations."""
    k = min(max(16, triton.next_power_of_2(case.rank)), 64)
    return [
        Config(m, n, k, warps, 2)
        for m, n, warps in [
            (16, 64, 4), (16, 128, 4), (16, 256, 4), (16, 256, 8), (16, 512, 8), (32, 64, 4),
            (32, 128, 4), (32, 128, 8), (32, 256, 4), (32, 256, 8), (64, 64, 4), (64, 128, 4),
            (64, 128, 8), (64, 256, 8), (128, 128, 8),
        ]
    ]  # fmt: skip


def _shrink_launch(case, config, buffers, x_row):
    """Grid, arguments and options of shrink. `buffers` has tensors, or their types, by name."""
    blocks = triton.cdiv(case.tokens, config.block_m) * triton.cdiv(case.rank, config.block_n)
    grid = (config.split_k * blocks, case.slices, case.num_loras + 1)
    names = ("x", "weights", "s", "token_indices", "counts", "starts", "ids")
    sizes = (
        case.tokens, case.rank, case.hidden, SCALING, x_row, case.rank * case.hidden, case.hidden,
        case.tokens * case.rank, case.rank,
    )  # fmt: skip
    options = dict(
        BLOCK_M=config.block_m, BLOCK_N=config.block_n, BLOCK_K=config.block_k,
        SPLIT_K=config.split_k, EVEN_K=case.hidden % (config.block_k * config.split_k) == 0,
        TABLE=case.slices > 1, DEPENDENT=config.dependent, num_warps=config.warps,
        num_stages=config.stages, launch_pdl=config.dependent,
    )  # fmt: skip
    return grid, (*(buffers[name] for name in names), *sizes), options


def _expand_launch(case, config, buffers, y_row):
    """As _shrink_launch."""
    width = max(case.widths)
    blocks = triton.cdiv(case.tokens, config.block_m) * triton.cdiv(width, config.block_n)
    grid = (blocks, case.slices, case.num_loras + 1)
    names = ("s", "weights", "y", "token_indices", "counts", "starts", "ids", "begins", "widths",
             "elements")  # fmt: skip
    sizes = (
        case.tokens, case.rank, width, case.offset, case.tokens * case.rank, case.rank,
        case.widths[0] * case.rank, case.rank, y_row,
    )  # fmt: skip
    options = dict(
        BLOCK_M=config.block_m, BLOCK_N=config.block_n, BLOCK_K=config.block_k,
        EVEN_K=case.rank % config.block_k == 0, ADD=case.add_inputs, TABLE=case.slices > 1,
        ALIGNED=all(size % 16 == 0 for size in (*case.widths, case.offset)),
        DEPENDENT=config.dependent, num_warps=config.warps, num_stages=config.stages,
        launch_pdl=config.dependent,
    )  # fmt: skip
    return grid, (*(buffers[name] for name in names), *sizes), options


def _mapping_buffers(mapping):
    return {
        "token_indices": mapping.v1_token_indices,
        "counts": mapping.num_tokens_per_lora,
        "starts": mapping.lora_start_loc,
        "ids": mapping.active_lora_ids,
        "begins": mapping.slice_offsets,
        "widths": mapping.slice_widths,
    }


def bind_shrink(case, arguments, config):
    """A call that zeroes s_out and shrinks x into it."""
    s, x = arguments.s_out, arguments.x
    weights = _slice_pointers(arguments.a) if case.slices > 1 else arguments.a[0]
    buffers = {**_mapping_buffers(arguments.mapping), "x": x, "weights": weights, "s": s}
    grid, values, options = _shrink_launch(case, config, buffers, x.stride(0))

    def call(_):
        s.zero_()
        _shrink[grid](*values, **options)

    return call


def bind_expand(case, arguments, s, config):
    """A call that expands s into y."""
    y = arguments.y
    weights = _slice_pointers(arguments.b) if case.slices > 1 else arguments.b[0]
    elements = torch.tensor([b.stride(0) for b in arguments.b], device=y.device)
    buffers = {**_mapping_buffers(arguments.mapping), "s": s, "weights": weights, "y": y,
               "elements": elements}  # fmt: skip
    grid, values, options = _expand_launch(case, config, buffers, y.stride(0))

    def call(_):
        _expand[grid](*values, **options)

    return call


def compile_only(op, case, config):
    """Compiles a kernel into Triton's cache, without arguments to run on."""
    types = {"f16": torch.float16, "bf16": torch.bfloat16}
    weights = torch.int64 if case.slices > 1 else types[case.dtype]
    buffers = dict.fromkeys(("token_indices", "counts", "starts", "ids", "begins", "widths"),
                            torch.int32)  # fmt: skip
    buffers |= {"x": types[case.dtype], "y": types[case.dtype], "weights": weights,
                "s": torch.float32, "elements": torch.int64}  # fmt: skip
    if op == "shrink":
        grid, values, options = _shrink_launch(case, config, buffers, case.hidden)
        _shrink.warmup(*values, grid=grid, **options)
    else:
        grid, values, options = _expand_launch(case, config, buffers, case.y_width)
        _expand.warmup(*values, grid=grid, **options)


def specialisation(op, case, config):
    """What two cases must have in common for a configuration to be compiled once for both."""
    launch = _shrink_launch if op == "shrink" else _expand_launch
    row = case.hidden if op == "shrink" else case.y_width
    names = ("x", "y", "s", "weights", "token_indices", "counts", "starts", "ids", "begins",
             "widths", "elements")  # fmt: skip
    _, values, options = launch(case, config, dict.fromkeys(names), row)
    # Triton takes integers as constants if they are 1, and knows which are multiples of 16.
    kinds = ["one" if v == 1 else v % 16 == 0 for v in values if isinstance(v, int)]
    return (op, case.dtype, *kinds, *options.items())


def _slice_pointers(weights):
    addresses = [matrix.data_ptr() for matrix in weights]
    return torch.tensor(addresses, dtype=torch.int64, device=weights[0].device)
