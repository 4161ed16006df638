# Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shapes of the layers of well-known models, and of any model with a Hugging Face config.json."""

import dataclasses
import json
import pathlib

from lora_tile.errors import Error


@dataclasses.dataclass(frozen=True)
class Model:
    """Sizes of a Llama-shaped model."""

    name: str
    hidden: int
    intermediate: int
    heads: int
    kv_heads: int
    head_dim: int
    layers: int

    def projections(self, tp=1):
        """(name, input width, slice widths) of each LoRA launch of a layer, on one of `tp` GPUs.

        Column-parallel layers (qkv, gate and up) split their outputs over the GPUs, row-parallel
        ones (o, down) their inputs. Key-value heads that are fewer than GPUs are replicated.
        """
        if tp < 1 or self.heads % tp or self.intermediate % tp:
            raise Error(
                f"--tp-sizes {tp}: expected a divisor of {self.heads} heads and of an intermediate "
                f"size of {self.intermediate} ({self.name})"
            )
        q = self.heads * self.head_dim // tp
        kv = max(self.kv_heads // tp, 1) * self.head_dim
        inner = self.intermediate // tp
        return [
            ("qkv", self.hidden, (q, kv, kv)),
            ("o", q, (self.hidden,)),
            ("gate_up", self.hidden, (inner, inner)),
            ("down", inner, (self.hidden,)),
        ]


BUILT_IN = [
    Model("meta-llama/Llama-2-7b-hf", 4096, 11008, 32, 32, 128, 32),
    Model("meta-llama/Meta-Llama-3-8B", 4096, 14336, 32, 8, 128, 32),
    Model("meta-llama/Meta-Llama-3-70B", 8192, 28672, 64, 8, 128, 80),
    Model("Qwen/Qwen3-32B", 5120, 25600, 64, 8, 128, 64),
    Model("mistralai/Mistral-7B-v0.1", 4096, 14336, 32, 8, 128, 32),
]


def from_config(path):
    """A model from the file config.json, or from the folder that holds one."""
    path = pathlib.Path(path)
    path = path / "config.json" if path.is_dir() else path
    try:
        config = json.loads(path.read_text())
    except (OSError, ValueError) as error:
        raise Error(f"{path}: expected a model's config.json ({error})") from None
    if not isinstance(config, dict):
        raise Error(f"{path}: expected an object")
    # Models that see or hear keep the sizes of their language model one level down.
    config = config.get("text_config", config)

    def size(field, default=None):
        value = config.get(field)
        value = default if value is None else value
        if not isinstance(value, int) or value < 1:
            raise Error(f"{path}: {field}: found {value!r}, expected a positive integer")
        return value

    heads = size("num_attention_heads")
    return Model(
        name=config.get("_name_or_path") or path.parent.resolve().name,
        hidden=size("hidden_size"),
        intermediate=size("intermediate_size"),
        heads=heads,
        kv_heads=size("num_key_value_heads", heads),
        head_dim=size("head_dim", size("hidden_size") // heads),
        layers=size("num_hidden_layers"),
    )


def find_model(name):
    """A built-in model by its name, with or without the owner, or one with a config.json."""
    for model in BUILT_IN:
        if name.lower() in (model.name.lower(), model.name.split("/")[1].lower()):
            return model
    if pathlib.Path(name).exists():
        return from_config(name)
    known = ", ".join(model.name for model in BUILT_IN)
    raise Error(f"--models {name}: expected a config.json, a folder that holds one, or {known}")


def rank_of_adapter(folder):
    """The rank of a PEFT adapter, and the projections of `Model.projections` that it changes."""
    path = pathlib.Path(folder, "adapter_config.json")
    try:
        config = json.loads(path.read_text())
    except (OSError, ValueError) as error:
        raise Error(f"{path}: expected the configuration of a PEFT adapter ({error})") from None
    rank, modules = config.get("r"), config.get("target_modules")
    if not isinstance(rank, int) or rank < 1:
        raise Error(f"{path}: r: found {rank!r}, expected a positive integer")
    if not isinstance(modules, list):
        raise Error(f"{path}: target_modules: found {modules!r}, expected a list of names")
    parts = {
        "qkv": ("q_proj", "k_proj", "v_proj", "qkv_proj"),
        "o": ("o_proj",),
        "gate_up": ("gate_proj", "up_proj", "gate_up_proj"),
        "down": ("down_proj",),
    }
    found = [name for name, names in parts.items() if set(names) & set(modules)]
    if not found:
        raise Error(f"{path}: target_modules: found none of {', '.join(sum(parts.values(), ()))}")
    return rank, found
