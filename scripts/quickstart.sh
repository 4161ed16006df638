#!/usr/bin/env bash
# Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs what is missing, builds the tools, compiles the kernels and runs them on real adapters.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/common.sh

(($# == 0)) || die "expected no arguments, got: $*"

OUTPUT=build/quickstart
ARCH=sm_90a

# Shows a command and runs it.
run() {
  printf '$ %s\n' "$*"
  "$@"
}

prepare
configure_and_build lora-compile lora-run
mkdir -p "$OUTPUT"

for op in shrink expand; do
  say "Compiling kernels/$op.mlir for $ARCH: PTX, then a cubin with what ptxas reports about it"
  run build/release/bin/lora-compile --op="$op" --arch="$ARCH" --emit=ptx -o "$OUTPUT/$op.ptx"
  run build/release/bin/lora-compile --op="$op" --arch="$ARCH" --emit=cubin --report \
    -o "$OUTPUT/$op.cubin"
done

say "Running shrink and expand for q_proj of three PEFT adapters over 32 tokens, some of them without" \
  "an adapter; the error is against a float64 reference"
run build/release/bin/lora-run \
  --adapter test/data/adapters/rank8-f32 \
  --adapter test/data/adapters/rank16-bf16-rslora \
  --adapter test/data/adapters/rank24-f16-mlp \
  --module q_proj --tokens 32 --mapping random

say "Done. The kernels are in $OUTPUT; lora-compile --help and lora-run --help say what else there is."
