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

# Says what the output above means, indented to stand apart from it.
explain() {
  echo
  sed 's/^/    /'
}

prepare
configure_and_build lora-compile lora-run
mkdir -p "$OUTPUT"

for op in shrink expand; do
  say "Compiling kernels/$op.mlir for $ARCH: PTX, which is text, then a cubin"
  run build/release/bin/lora-compile --op="$op" --arch="$ARCH" --emit=ptx -o "$OUTPUT/$op.ptx"
  run build/release/bin/lora-compile --op="$op" --arch="$ARCH" --emit=cubin --report \
    -o "$OUTPUT/$op.cubin"
done
explain <<'END'
registers      that a thread uses, of at most 255
spills, stack  memory that stands in for registers; 0 is what one wants
shared memory  that a block uses
occupancy      threads that fit on a multiprocessor at a time, of those it could hold
END

say "Running both for q_proj, k_proj and v_proj of three LoRA adapters, as the PEFT library saves them"
run build/release/bin/lora-run \
  --adapter test/data/adapters/rank8-f32 \
  --adapter test/data/adapters/rank16-bf16-rslora \
  --adapter test/data/adapters/rank24-f16-mlp \
  --module q_proj,k_proj,v_proj --tokens 32 --mapping random
explain <<'END'
shrink   s = scaling * x * A^T for the adapter of each token: [tokens, hidden] -> [slices, tokens, rank]
expand   y += s * B^T, into the columns of each slice: q_proj, k_proj and v_proj side by side
error    ||out - ref|| / ||ref|| of the worst row, ref computed in float64. Shrink sums and stores
         in f32, which leaves about 1e-7. Expand rounds y to f16, which leaves about 2e-4; above
         2e-3 the tool fails. The last row compares y with float64 all the way from x.
time     of one launch, on a GPU. "-" elsewhere: without a GPU every thread of the compiled kernel
         runs in an emulator, which finds races and stray accesses but says nothing about speed.
config   the values of the kernel's parameters, chosen from the shape; --set-shrink and
         --set-expand change them.
END

say "Done. The compiled kernels are in $OUTPUT; docs/tools.md shows what else the tools do."
