# Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random arguments of a case on the device, and what the kernels should make of them.

All sets of a pool share one mapping, as the layers of a model do; all else differs between sets.
"""

import torch

from lora_tile.errors import Error
from lora_tile.mapping import row_blocks

DTYPES = {"f16": torch.float16, "bf16": torch.bfloat16}
# Largest ||out - ref|| / ||ref|| that counts as correct.
LIMITS = {"f16": 2e-3, "bf16": 1e-2}
SCALING = 0.5
# Elements of a float64 reference on the device, beyond which rows are sampled.
REFERENCE_ELEMENTS = 2**24


class Mapping:
    """Which adapter each token has: as an array, as the row blocks that lora-tile's kernels read,
    and as the buffers of the vLLM V1 kernels."""

    def __init__(self, case, seed, device="cuda"):
        generator = torch.Generator().manual_seed(seed)
        requests = torch.randint(case.active, (case.batch,), generator=generator)
        without = round(case.batch * case.no_lora_fraction)
        requests[torch.randperm(case.batch, generator=generator)[:without]] = -1
        ids = requests.repeat_interleave(case.seq_length)
        if case.sort:
            ids = ids.sort().values
        planes = case.num_loras + 1
        present, counts = ids.unique(return_counts=True)
        active = torch.full((planes,), -1, dtype=torch.int32)
        active[: len(present)] = present
        tokens = torch.zeros(planes, dtype=torch.int32)
        tokens[: len(present)] = counts
        starts = torch.zeros(planes + 1, dtype=torch.int32)
        starts[1:] = tokens.cumsum(0)

        self.device = device
        self.ids = ids.to(device)
        self.token_lora_mapping = self.ids.int()
        indices = ids.argsort(stable=True).int().to(device)
        self.v1_token_indices = indices
        self.active_lora_ids = active.to(device)
        self.num_tokens_per_lora = tokens.to(device)
        self.lora_start_loc = starts.to(device)
        groups = zip(present.tolist(), counts.tolist())
        self.groups = [(adapter, count) for adapter, count in groups if adapter >= 0]
        # Tokens without an adapter come first.
        self.token_indices = indices[int((ids < 0).sum()) :].clone()
        self._row_blocks = {}
        self.ranks = torch.full((case.num_loras,), case.rank, dtype=torch.int32, device=device)
        self.scalings = torch.full((case.num_loras,), SCALING, device=device)
        begins = [case.offset + sum(case.widths[:i]) for i in range(case.slices)]
        self.slice_begins = begins
        self.slice_offsets = torch.tensor(begins, dtype=torch.int32, device=device)
        self.slice_widths = torch.tensor(case.widths, dtype=torch.int32, device=device)

    def row_blocks(self, block_m):
        """The table [row blocks, 4] for kernels with this BLOCK_M."""
        if block_m not in self._row_blocks:
            entries = row_blocks(self.groups, block_m)
            table = torch.tensor(entries, dtype=torch.int32, device=self.device)
            self._row_blocks[block_m] = table
        return self._row_blocks[block_m]


def _pointers(slices):
    """A [slices, adapters] table of the addresses of each adapter's matrix."""
    rows = [[matrix.data_ptr() for matrix in weights] for weights in slices]
    return torch.tensor(rows, dtype=torch.int64, device=slices[0].device)


class Arguments:
    """One set: x, weights a and b of each slice, s as shrink's output and as expand's input, y."""

    def __init__(self, case, mapping, device="cuda"):
        dtype = DTYPES[case.dtype]

        def random(*shape, scale=1.0):
            return torch.randn(shape, dtype=torch.float32, device=device).mul_(scale).to(dtype)

        self.mapping = mapping
        self.x = torch.randn(case.tokens, case.hidden, dtype=dtype, device=device)
        self.a = [
            random(case.num_loras, case.rank, case.hidden, scale=case.hidden**-0.5)
            for _ in range(case.slices)
        ]
        self.b = [random(case.num_loras, width, case.rank, scale=0.05) for width in case.widths]
        shape = (case.slices, case.tokens, case.rank)
        self.s_out = torch.full(shape, float("nan"), device=device)
        self.s_in = torch.randn(shape, device=device)
        self.y = torch.randn(case.tokens, case.y_width, dtype=dtype, device=device)
        self.a_table = _pointers(self.a)
        self.b_table = _pointers(self.b)


def make_pool(case, mapping, size):
    """`size` sets of arguments; Error if they do not fit in the device's memory."""
    free, _ = torch.cuda.mem_get_info()
    free += torch.cuda.memory_reserved() - torch.cuda.memory_allocated()
    # Half as much again for the float64 reference and what torch needs on the way.
    needed = case.set_bytes() * size * 3 // 2
    if needed > free:
        raise Error(
            f"a pool of {size} sets needs {needed / 2**30:.1f} GiB of device memory, found "
            f"{free / 2**30:.1f} GiB free: expected a smaller --arg-pool-size or shape"
        )
    return [Arguments(case, mapping) for _ in range(size)]


class Reference:
    """Float64 results for one set of arguments, and checks of outputs against them."""

    def __init__(self, case, arguments):
        self.case = case
        self.arguments = arguments
        self.y_before = arguments.y.clone()
        if not case.add_inputs:
            self.y_before[:, case.offset :].fill_(float("nan"))
        ids = arguments.mapping.ids
        self.without = ids < 0
        self.any_without = bool(self.without.any())
        tokens = case.tokens
        most = max(1, REFERENCE_ELEMENTS // max(case.hidden, case.y_width))
        self.rows = torch.arange(0, tokens, -(-tokens // most), device=ids.device)
        self.rows = self.rows[ids[self.rows] >= 0]
        self.ids = ids[self.rows]
        self.s = self._shrink()
        self.y_of_s_in = self._expand(arguments.s_in[:, self.rows].double())
        self.y_of_x = self._expand(self.s)

    def _per_adapter(self, weights, values, out):
        for adapter in self.ids.unique().tolist():
            mine = self.ids == adapter
            out[mine] = values[mine] @ weights[adapter].double().T
        return out

    def _shrink(self):
        x = self.arguments.x[self.rows].double()
        shape = (len(self.rows), self.case.rank)
        parts = [self._per_adapter(a, x, x.new_zeros(shape)) for a in self.arguments.a]
        return torch.stack(parts) * SCALING

    def _expand(self, s):
        parts = [
            self._per_adapter(b, s[i], s.new_zeros(len(self.rows), b.shape[1]))
            for i, b in enumerate(self.arguments.b)
        ]
        product = torch.cat(parts, 1)
        if not self.case.add_inputs:
            return product
        return self.y_before[self.rows, self.case.offset :].double() + product

    def error(self, op, call, handle):
        """Runs `call` on poisoned outputs; the relative error, or inf where rows are wrong.

        Rows without an adapter, and columns outside of the slices, must be untouched in y.
        """
        arguments, case = self.arguments, self.case
        arguments.s_out.fill_(float("nan"))
        arguments.y.copy_(self.y_before)
        torch.cuda.synchronize()
        call(handle)
        torch.cuda.synchronize()
        if op == "shrink":
            out, expected = arguments.s_out[:, self.rows].double(), self.s
            complete = self._finite(arguments.s_out, 1)
        else:
            out = arguments.y[self.rows, case.offset :].double()
            expected = self.y_of_s_in if op == "expand" else self.y_of_x
            complete = self._left_alone()
        if not complete:
            return float("inf")
        return ((out - expected).norm() / expected.norm()).item()

    def _finite(self, out, dim):
        """Whether the rows of tokens with an adapter are; `dim` is that of the rows."""
        if self.any_without:
            out = out.index_select(dim, (~self.without).nonzero().flatten())
        return bool(out.isfinite().all())

    def _left_alone(self):
        case, y, before = self.case, self.arguments.y, self.y_before
        same = torch.equal(y[:, : case.offset], before[:, : case.offset])
        if self.any_without:
            rest = self.without
            same = same and torch.equal(y[rest].nan_to_num(), before[rest].nan_to_num())
        return same and self._finite(y, 0)
