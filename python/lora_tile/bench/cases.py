# Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of a benchmark: shapes, and the bytes and operations that they cannot do without."""

import dataclasses
import itertools

from lora_tile.errors import Error

ELEMENT_BYTES = {"f16": 2, "bf16": 2}

# What each name of --op-types measures, and what it demands of the mapping: "any", "bgmv" for one
# token a request in any order, or "sgmv" for tokens grouped by adapter. A *_slice expands into the
# second half of rows twice as wide.
OP_TYPES = {
    "lora_shrink": ("shrink", "any", False),
    "lora_expand": ("expand", "any", False),
    "lora_shrink_expand": ("pair", "any", False),
    "bgmv_shrink": ("shrink", "bgmv", False),
    "bgmv_expand": ("expand", "bgmv", False),
    "bgmv_expand_slice": ("expand", "bgmv", True),
    "sgmv_shrink": ("shrink", "sgmv", False),
    "sgmv_expand": ("expand", "sgmv", False),
    "sgmv_expand_slice": ("expand", "sgmv", True),
}

OPS = ("shrink", "expand", "pair")


@dataclasses.dataclass(frozen=True)
class Case:
    """One shape. `x` is [tokens, hidden]; slice i of `y` is widths[i] columns from `offset` on."""

    ops: tuple
    batch: int
    seq_length: int
    hidden: int
    widths: tuple
    rank: int
    num_loras: int
    active: int
    dtype: str = "f16"
    sort: bool = True
    no_lora_fraction: float = 0.0
    add_inputs: bool = True
    offset: int = 0
    label: str = ""

    @property
    def tokens(self):
        return self.batch * self.seq_length

    @property
    def slices(self):
        return len(self.widths)

    @property
    def y_width(self):
        return self.offset + sum(self.widths)

    def key(self):
        """What makes it the same case in two runs, as text."""
        fields = dataclasses.asdict(self)
        fields.pop("ops")
        return " ".join(f"{name}={value}" for name, value in fields.items() if value != "")

    def with_lora(self):
        """Tokens that have an adapter, on average."""
        return self.tokens - round(self.tokens * self.no_lora_fraction)

    def reached(self):
        """Adapters whose weights have to be read: no more than there are tokens."""
        return min(self.active, self.with_lora())

    def bytes_of(self, op):
        """Bytes that must move: each input read once and each output written once.

        The op "layer" is a pair between two products, and has the pair's bytes and operations.
        """
        element = ELEMENT_BYTES[self.dtype]
        rows, adapters = self.with_lora(), self.reached()
        x = rows * self.hidden * element
        a = adapters * self.slices * self.rank * self.hidden * element
        s = rows * self.slices * self.rank * 4
        b = adapters * sum(self.widths) * self.rank * element
        y = rows * sum(self.widths) * element * (2 if self.add_inputs else 1)
        pair = x + a + b + y
        return {"shrink": x + a + s, "expand": s + b + y, "pair": pair, "layer": pair}[op]

    def flops_of(self, op):
        """Multiplications and additions."""
        shrink = 2 * self.with_lora() * self.slices * self.rank * self.hidden
        expand = 2 * self.with_lora() * self.rank * sum(self.widths)
        pair = shrink + expand
        return {"shrink": shrink, "expand": expand, "pair": pair, "layer": pair}[op]

    def set_bytes(self):
        """Device memory of one set of arguments for all ops."""
        element = ELEMENT_BYTES[self.dtype]
        return (
            self.tokens * (self.hidden + self.y_width) * element
            + self.num_loras * self.rank * (self.slices * self.hidden + sum(self.widths)) * element
            + 2 * self.tokens * self.slices * self.rank * 4
        )


def pool_size(case, most, budget=2 * 10**9):
    """Sets of arguments to rotate over: at most `most`, about `budget` bytes, at least two."""
    return max(2, min(most, budget // max(case.set_bytes(), 1)))


def merge_op_types(op_types):
    """Names of --op-types as a dict from (mapping, with offset) to the ops to measure there."""
    merged = {}
    for name in op_types:
        if name not in OP_TYPES:
            raise Error(f"--op-types: found '{name}', expected one of {', '.join(OP_TYPES)}")
        op, mapping, offset = OP_TYPES[name]
        ops = merged.setdefault((mapping, offset), [])
        if op not in ops:
            ops.append(op)
    return {key: tuple(op for op in OPS if op in ops) for key, ops in merged.items()}


def check_case(case):
    """Raises Error where no kernel supports the case."""
    for name in ("batch", "seq_length", "hidden", "rank", "num_loras", "active"):
        if getattr(case, name) < 1:
            raise Error(f"{name} {getattr(case, name)}: expected at least 1")
    if case.rank > 512:
        raise Error(f"rank {case.rank}: expected at most 512")
    if case.active > case.num_loras:
        raise Error(
            f"--num-active-loras {case.active}: expected at most --num-loras {case.num_loras}"
        )
    if not 0 <= case.no_lora_fraction < 1:
        raise Error(f"--no-lora-fraction {case.no_lora_fraction}: expected 0 or more, below 1")
    return case


def generate(layers, options):
    """The cases of all combinations.

    `layers` has (label, hidden, widths) of layers; None among the widths stands for `hidden`.
    `options` has lists batch_sizes, seq_lengths, lora_ranks, num_loras, sort_by_lora_id and
    expand_fn_add_inputs, num_active_loras or None, dtype, no_lora_fraction and op_types.
    """
    cases = {}
    for (mapping, offset), ops in merge_op_types(options.op_types).items():
        sorts = {"any": options.sort_by_lora_id, "bgmv": [0], "sgmv": [1]}[mapping]
        lengths = options.seq_lengths
        if mapping == "bgmv" and any(length != 1 for length in lengths):
            raise Error("--op-types: bgmv_* has one token a request, expected --seq-lengths 1")
        for (label, hidden, widths), loras, rank, length, batch, sort, add in itertools.product(
            layers, options.num_loras, options.lora_ranks, lengths, options.batch_sizes, sorts,
            options.expand_fn_add_inputs,
        ):  # fmt: skip
            widths = tuple(hidden if width is None else width for width in widths)
            case = Case(
                ops=ops, batch=batch, seq_length=length, hidden=hidden, widths=widths, rank=rank,
                num_loras=loras, active=options.num_active_loras or loras, dtype=options.dtype,
                sort=bool(sort), no_lora_fraction=options.no_lora_fraction, add_inputs=bool(add),
                offset=sum(widths) if offset else 0, label=label,
            )  # fmt: skip
            same = cases.get(case.key())
            if same:
                case = dataclasses.replace(case, ops=tuple(o for o in OPS if o in same.ops + ops))
            cases[case.key()] = check_case(case)
    return list(cases.values())
