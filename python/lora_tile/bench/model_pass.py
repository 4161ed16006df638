# Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What LoRA adds to a whole forward pass of a Llama-shaped model.

Weights are random. Base products are torch's, norms and the activation function fused kernels, as
in serving engines, and every token attends to a cache of its own. LoRA is on every projection. The
whole pass is one CUDA graph.
"""

import statistics

import torch
import triton
import triton.language as tl

from lora_tile.bench.arguments import DTYPES, Arguments, Mapping
from lora_tile.bench.cases import Case
from lora_tile.bench.clock import Clock
from lora_tile.bench.results import OURS, best
from lora_tile.errors import Error


@triton.jit
def _add_norm(residual, delta, out, width, BLOCK: tl.constexpr):
    """residual += delta; out = residual / rms(residual), for one row."""
    row = tl.program_id(0).to(tl.int64)
    column = tl.arange(0, BLOCK)
    inside = column < width
    value = tl.load(residual + row * width + column, mask=inside, other=0.0).to(tl.float32)
    value += tl.load(delta + row * width + column, mask=inside, other=0.0).to(tl.float32)
    tl.store(residual + row * width + column, value.to(residual.dtype.element_ty), mask=inside)
    scale = tl.rsqrt(tl.sum(value * value, 0) / width + 1e-5)
    tl.store(out + row * width + column, (value * scale).to(out.dtype.element_ty), mask=inside)


@triton.jit
def _silu_mul(gate_up, out, width, BLOCK: tl.constexpr):
    """out = silu(gate) * up, for a block of a row."""
    row = tl.program_id(0).to(tl.int64)
    column = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = column < width
    gate = tl.load(gate_up + row * 2 * width + column, mask=inside, other=0.0).to(tl.float32)
    up = tl.load(gate_up + row * 2 * width + width + column, mask=inside, other=0.0)
    value = gate / (1.0 + tl.exp(-gate)) * up.to(tl.float32)
    tl.store(out + row * width + column, value.to(out.dtype.element_ty), mask=inside)


class Pass:
    """Weights and buffers of a model for a number of tokens, and its forward pass."""

    def __init__(self, model, layers, tokens, cache_length, dtype):
        self.model = model
        self.tokens = tokens
        self.projections = {name: (h, sum(w)) for name, h, w in model.projections()}
        self._require_memory(layers, cache_length)

        def random(*shape, scale=1.0):
            return torch.randn(shape, dtype=dtype, device="cuda").mul_(scale)

        self.weights = [
            {name: random(n, k, scale=k**-0.5) for name, (k, n) in self.projections.items()}
            for _ in range(layers)
        ]
        heads, kv, dim = model.heads, model.kv_heads, model.head_dim
        self.caches = [
            [random(tokens, kv, cache_length, dim) for _ in range(2)] if cache_length else None
            for _ in range(layers)
        ]
        self.q_width = heads * dim
        self.start = random(tokens, model.hidden)
        self.residual = self.start.clone()
        self.normed = torch.empty_like(self.start)
        self.nothing = torch.zeros_like(self.start)
        self.outputs = {
            name: torch.zeros(tokens, n, dtype=dtype, device="cuda")
            for name, (_, n) in self.projections.items()
        }
        attended = torch.empty(tokens, self.q_width, dtype=dtype, device="cuda")
        self.inputs = {
            "qkv": self.normed,
            "o": attended if cache_length else self.outputs["qkv"][:, : self.q_width],
            "gate_up": self.normed,
            "down": torch.empty(tokens, model.intermediate, dtype=dtype, device="cuda"),
        }

    def _require_memory(self, layers, cache_length):
        weights = sum(k * n for k, n in self.projections.values())
        cache = 2 * self.tokens * self.model.kv_heads * self.model.head_dim * cache_length
        needed, (free, _) = 2 * layers * (weights + cache), torch.cuda.mem_get_info()
        free += torch.cuda.memory_reserved() - torch.cuda.memory_allocated()
        if needed > free:
            raise Error(
                f"{layers} layers need {needed / 2**30:.1f} GiB of device memory, found "
                f"{free / 2**30:.1f} GiB free: expected fewer --layers or tokens, or a smaller "
                "--cache-length"
            )

    def _norm(self, delta):
        width = self.model.hidden
        _add_norm[(self.tokens,)](
            self.residual, delta, self.normed, width, BLOCK=triton.next_power_of_2(width),
            num_warps=8,
        )  # fmt: skip

    def _attend(self, cache):
        if cache is None:
            return
        query = self.outputs["qkv"][:, : self.q_width]
        query = query.view(self.tokens, self.model.heads, 1, self.model.head_dim)
        out = torch.nn.functional.scaled_dot_product_attention(
            query, *cache, enable_gqa=self.model.heads != self.model.kv_heads
        )
        self.inputs["o"].copy_(out.view(self.tokens, self.q_width))

    def forward(self, lora, handle):
        """Runs the pass; `lora` has a call for each layer and projection, or is empty."""
        self.residual.copy_(self.start)
        delta = self.nothing
        for layer, (weights, cache) in enumerate(zip(self.weights, self.caches)):
            for name in ("qkv", "o", "gate_up", "down"):
                if name in ("qkv", "gate_up"):
                    self._norm(delta)
                elif name == "o":
                    self._attend(cache)
                else:
                    width = self.model.intermediate
                    _silu_mul[(self.tokens, triton.cdiv(width, 1024))](
                        self.outputs["gate_up"], self.inputs["down"], width, BLOCK=1024
                    )
                torch.mm(self.inputs[name], weights[name].T, out=self.outputs[name])
                if lora:
                    lora[layer, name](handle)
                delta = self.outputs[name]


def _bind_layers(bench, winners, chosen, run, mapping, cases):
    """A LoRA call for each layer and projection, each with weights of its own."""
    calls = {}
    for layer in range(len(run.weights)):
        for name, case in cases.items():
            arguments = Arguments(case, mapping[name])
            arguments.x, arguments.y = run.inputs[name], run.outputs[name]
            bench.case = case
            candidate = winners[name]["pair", chosen[name]]
            calls[layer, name] = candidate.bind(arguments, chosen[name].endswith("-pdl"))
            # The launches hold addresses, and not the tensors.
            calls[layer, name].arguments = arguments
    return calls


def _choose(bench, cases):
    """The winners for each projection, "best" being the fastest of lora-tile's."""
    winners = {}
    for name, case in cases.items():
        results = bench.run(case)
        row = {"results": results}
        fastest = best(row, "pair", OURS)
        winners[name] = {**bench.winners, "best": fastest["impl"] if fastest else None}
    return winners


def cache_length_of(options, tokens):
    """Tokens that each token attends to; by default as many as fit in the memory of a large GPU."""
    if options.cache_length is not None:
        return options.cache_length
    return 512 if tokens <= 128 else 256 if tokens <= 256 else 0


def cases_of(model, options, tokens, rank):
    """The case of each projection of a layer, by its name."""
    return {
        name: Case(
            ops=("pair",), batch=tokens, seq_length=1, hidden=hidden, widths=widths, rank=rank,
            num_loras=options.num_loras, active=options.num_loras, dtype=options.dtype,
            sort=False, label=name,
        )
        for name, hidden, widths in model.projections()
    }  # fmt: skip


def all_cases(model, options):
    """The cases of a whole run."""
    return [
        case
        for tokens in options.tokens
        for rank in options.lora_ranks
        for case in cases_of(model, options, tokens, rank).values()
    ]


def _run_tokens(bench, model, options, tokens):
    """Yields the results for a number of tokens; all of the model's memory is freed at the end."""
    clock = Clock(1, options.replays, bench.clock.use_graph)
    layers = options.layers or model.layers
    cache_length = cache_length_of(options, tokens)
    passes = Pass(model, layers, tokens, cache_length, DTYPES[options.dtype])

    def milliseconds(lora):
        samples = clock.samples([lambda handle: passes.forward(lora, handle)])
        if not passes.residual.isfinite().all():
            raise Error(f"model_pass: {tokens} tokens: found values that are not finite")
        return statistics.median(samples) / 1000

    base = milliseconds({})
    common = {"model": model.name, "tokens": tokens, "cache_length": cache_length}
    yield {**common, "rank": 0, "impl": "base", "ms": base}
    for rank in options.lora_ranks:
        cases = cases_of(model, options, tokens, rank)
        winners = _choose(bench, cases)
        mapping = {name: Mapping(case, options.seed) for name, case in cases.items()}
        for impl in ("lora-tile", "triton-tuned", "triton-default", "vllm"):
            chosen = {n: won["best"] if impl == "lora-tile" else impl for n, won in winners.items()}
            if any(("pair", way) not in winners[name] for name, way in chosen.items()):
                continue
            lora = _bind_layers(bench, winners, chosen, passes, mapping, cases)
            took = milliseconds(lora)
            configs = {n: winners[n]["pair", way].text for n, way in chosen.items()}
            yield {
                **common, "rank": rank, "impl": impl, "ms": took, "base_ms": base,
                "chosen": chosen, "configs": configs,
            }  # fmt: skip
            del lora


def run(bench, model, options):
    """Yields a result for each number of tokens, rank and implementation."""
    for tokens in options.tokens:
        yield from _run_tokens(bench, model, options, tokens)


def text(line):
    """A result as a line of the table."""
    start = f"{line['tokens']:6} tokens  {line['ms']:8.3f} ms"
    if line["impl"] == "base":
        return f"{start}  without LoRA"
    added = line["ms"] - line["base_ms"]
    percent = added / line["base_ms"]
    return f"{start}  {percent:+.1%} ({added:.3f} ms)  rank {line['rank']}, {line['impl']}"
