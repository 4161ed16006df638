# Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Benchmarks of multi-LoRA kernels; see docs/benchmark.md."""
