#!/usr/bin/env bash
# Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# How the tuned packs in kernels/tuned/ were made, in three steps:
#
#   scripts/tune_h200.sh compile FOLDER   compiles the candidates; needs the compiler, and no GPU
#   FOLDER/measure.sh OUTPUT [BUDGET]     measures them on an H200; needs nothing but FOLDER
#   scripts/tune_h200.sh export OUTPUT    writes kernels/tuned/h200.json and h200.sqlite
#
# The lora-tune that FOLDER gets is $LORA_TUNE_PORTABLE, which must run on the machine with the GPU,
# or the one that compiles.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

TUNE=${LORA_TUNE:-build/release/bin/lora-tune}

# The published grid, and what Llama-2-7B, Llama-3-8B and 70B, Qwen3-32B and Mistral-7B have on 1 to
# 8 GPUs: of sizes that are nearly the same, one.
SHAPES=1024x1024,2048x2048,4096x4096,8192x8192,16384x16384
SHAPES+=,4096x4096+4096+4096,4096x4096+1024+1024,4096x1024+256+256
SHAPES+=,8192x8192+1024+1024,8192x1024+128+128,5120x8192+1024+1024
SHAPES+=,4096x14336+14336,4096x3584+3584,8192x28672+28672,8192x3584+3584,5120x25600+25600
SHAPES+=,14336x4096,28672x8192,3584x4096,1376x4096,1024x8192

# A part of these in bf16, to see whether it behaves as f16 does.
SOME=4096x4096,8192x8192+1024+1024,14336x4096

compile() {
  local folder=$1
  mkdir -p "$folder"
  "$TUNE" --phase compile --shapes "$SHAPES" --lora-ranks 16,32,64,128 --num-loras 4,64 \
    --tokens 1,16,64,256,1024,4096 --max-kernels "${MAX_KERNELS:-130}" -o "$folder/f16"
  "$TUNE" --phase compile --shapes "$SOME" --lora-ranks 16,64 --num-loras 4 \
    --tokens 16,256,4096 --dtype bf16,f16 --max-kernels 30 -o "$folder/bf16"
  cp "${LORA_TUNE_PORTABLE:-$TUNE}" "$folder/lora-tune"
  cp scripts/tune_h200_measure.sh "$folder/measure.sh"
}

# The database goes along, without the name of the machine.
export_list() {
  mkdir -p kernels/tuned
  cp --no-preserve=mode "$1/h200.sqlite" kernels/tuned/h200.sqlite
  python3 - kernels/tuned/h200.sqlite <<'PYTHON'
import sqlite3, sys
database = sqlite3.connect(sys.argv[1])
database.execute("UPDATE session SET host = ''")
database.commit()
database.execute("PRAGMA journal_mode=DELETE")
database.execute("VACUUM")
PYTHON
  "$TUNE" export --db kernels/tuned/h200.sqlite --also-types bf16/bf16 -o kernels/tuned/h200.json
}

case ${1:-} in
  compile) compile "$2" ;;
  export) export_list "$2" ;;
  *) sed -n '5,12s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2 && exit 1 ;;
esac
