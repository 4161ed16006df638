# Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""vLLM's own LoRA kernels as a baseline, where vLLM is installed."""

import inspect

from lora_tile.bench.arguments import SCALING
from lora_tile.errors import Error


class VllmOps:
    """Binds calls of vLLM's lora_shrink and lora_expand; Error if vLLM has none."""

    def __init__(self):
        try:
            from vllm.lora.ops import triton_ops
        except ImportError as error:
            raise Error(
                f"--baselines vllm: found no vLLM to import ({error}), expected the package vllm"
            ) from None
        names = ("lora_shrink", "lora_expand", "LoRAKernelMeta")
        missing = [name for name in names if not hasattr(triton_ops, name)]
        if missing:
            raise Error(
                f"--baselines vllm: found no vllm.lora.ops.triton_ops.{missing[0]}, expected vLLM "
                "0.8 or later"
            )
        self.ops = triton_ops
        self.metas = {}

    def _meta(self, case, mapping):
        """The mapping as the ops take it, in the order of their parameters."""
        if mapping not in self.metas:
            meta = self.ops.LoRAKernelMeta.make(
                max_loras=case.num_loras, max_num_tokens=case.tokens, device=mapping.device
            )
            meta.prepare_tensors(mapping.token_lora_mapping)
            parameters = inspect.signature(meta.meta_args).parameters
            # Later versions also ask whether to launch a grid for the adapters in use alone.
            extra = [True] * (len(parameters) - 1)
            self.metas = {mapping: (meta, meta.meta_args(case.tokens, *extra))}
        return self.metas[mapping][1]

    def bind_shrink(self, case, arguments):
        """A call that shrinks x into s_out."""
        meta = self._meta(case, arguments.mapping)

        def call(_):
            self.ops.lora_shrink(arguments.x, arguments.a, arguments.s_out, *meta, SCALING)

        return call

    def bind_expand(self, case, arguments, s):
        """A call that expands s into y."""
        meta = self._meta(case, arguments.mapping)

        def call(_):
            self.ops.lora_expand(
                s, arguments.b, arguments.y, *meta, offset_start=case.offset,
                add_inputs=case.add_inputs,
            )  # fmt: skip

        return call
