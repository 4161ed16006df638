#!/usr/bin/env python3
# Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the LoRA adapters under test/data/adapters with the PEFT library.

The adapters belong to a small, randomly initialised Llama-style model with grouped-query attention:
hidden size 256, 2 layers, 8 heads, 2 key-value heads, MLP width 512. Beside them expected.json
holds, for each tensor, its type, its shape, its sum and a few of its elements in double precision,
as PyTorch sees them, and for each module its rank and its scaling as PEFT computed them.

    python3 -m venv venv
    venv/bin/pip install torch==2.15.0 transformers==5.24.0 peft==0.21.2 safetensors==0.8.0
    venv/bin/python test/data/make_adapters.py

The committed files were written with these versions on Python 3.11. Seeds are fixed, so a second run
yields the same tensors.
"""

import json
import pathlib
import shutil

import torch
from peft import LoraConfig, get_peft_model
from peft.tuners.lora import LoraLayer
from safetensors.torch import load_file
from transformers import LlamaConfig, LlamaForCausalLM

OUTPUT = pathlib.Path(__file__).resolve().parent / "adapters"
ATTENTION = ["q_proj", "k_proj", "v_proj", "o_proj"]
MLP = ["gate_proj", "up_proj", "down_proj"]

ADAPTERS = {
    "rank8-f32": (torch.float32, dict(r=8, lora_alpha=16, target_modules=ATTENTION)),
    "rank16-bf16-rslora": (
        torch.bfloat16,
        dict(r=16, lora_alpha=8, use_rslora=True, target_modules=ATTENTION),
    ),
    "rank24-f16-mlp": (torch.float16, dict(r=24, lora_alpha=36, target_modules=ATTENTION + MLP)),
    "patterns-f16": (
        torch.float16,
        dict(
            r=8,
            lora_alpha=12,
            target_modules=["q_proj", "v_proj"],
            rank_pattern={"v_proj": 4, "layers.1.self_attn.q_proj": 5},
            alpha_pattern={"v_proj": 10},
        ),
    ),
}


def make_model():
    torch.manual_seed(0)
    config = LlamaConfig(
        hidden_size=256,
        num_hidden_layers=2,
        num_attention_heads=8,
        num_key_value_heads=2,
        intermediate_size=512,
        vocab_size=128,
        max_position_embeddings=128,
    )
    return LlamaForCausalLM(config)


def fill_b(layer, generator):
    """PEFT starts B at zero; give it values, as training would, so that B times A is not zero."""
    weight = layer.lora_B["default"].weight
    values = torch.randn(weight.shape, generator=generator) * 0.02
    with torch.no_grad():
        weight.copy_(values)


def describe_tensor(tensor):
    flat = tensor.flatten().to(torch.float64)
    positions = [0, 1, flat.numel() // 2, flat.numel() - 1]
    return {
        "dtype": str(tensor.dtype).removeprefix("torch."),
        "shape": list(tensor.shape),
        "sum": flat.sum().item(),
        "elements": {str(i): flat[i].item() for i in positions},
    }


def make_adapter(name, dtype, arguments, seed):
    model = get_peft_model(make_model(), LoraConfig(task_type="CAUSAL_LM", **arguments))
    generator = torch.Generator().manual_seed(seed)
    modules = {}
    for path, layer in model.named_modules():
        if not isinstance(layer, LoraLayer):
            continue
        fill_b(layer, generator)
        modules[path.removeprefix("base_model.model.")] = {
            "rank": layer.r["default"],
            "scaling": layer.scaling["default"],
        }
    folder = OUTPUT / name
    model.to(dtype).save_pretrained(folder)
    (folder / "README.md").unlink(missing_ok=True)
    # The library writes this file readable by its owner alone.
    (folder / "adapter_model.safetensors").chmod(0o644)
    tensors = load_file(folder / "adapter_model.safetensors")
    return {
        "modules": modules,
        "tensors": {key: describe_tensor(tensor) for key, tensor in sorted(tensors.items())},
    }


def main():
    shutil.rmtree(OUTPUT, ignore_errors=True)
    expected = {}
    for seed, (name, (dtype, arguments)) in enumerate(ADAPTERS.items(), start=1):
        torch.manual_seed(seed)
        expected[name] = make_adapter(name, dtype, arguments, seed)
    (OUTPUT / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")


if __name__ == "__main__":
    main()
