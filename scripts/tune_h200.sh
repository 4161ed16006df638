#!/usr/bin/env bash
# Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# How the tuned packs in kernels/tuned/ were made, in four steps:
#
#   scripts/tune_h200.sh compile FOLDER   compiles the candidates; needs the compiler, and no GPU
#   FOLDER/measure.sh OUTPUT [BUDGET]     measures them on an H200; needs nothing but FOLDER
#   scripts/tune_h200.sh export OUTPUT    writes kernels/tuned/h200.json and h200.sqlite
#   scripts/tune_h200.sh report OUTPUT    prints the figures of docs/tuning.md
#
# The database that is here goes along, and measure.sh goes on from it: problems whose search is
# finished are not measured again. Without h200.sqlite in FOLDER it begins anew.
#
# The lora-tune that FOLDER gets is $LORA_TUNE_PORTABLE, which must run on the machine with the GPU,
# or the one that compiles. Of each kind and rank $MAX_KERNELS (170) are compiled for the grid.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

TUNE=${LORA_TUNE:-build/release/bin/lora-tune}
MOST=${MAX_KERNELS:-170}

# The published grid.
GRID=1024x1024,2048x2048,4096x4096,8192x8192,16384x16384

# What Llama-2-7B, Llama-3-8B and 70B, Qwen3-32B and Mistral-7B have on 1 to 8 GPUs: of sizes that
# are nearly the same, one.
MODELS=4096x4096+4096+4096,4096x4096+1024+1024,4096x1024+256+256
MODELS+=,8192x8192+1024+1024,8192x1024+128+128,5120x8192+1024+1024
MODELS+=,4096x14336+14336,4096x3584+3584,8192x28672+28672,8192x3584+3584,5120x25600+25600
MODELS+=,14336x4096,28672x8192,3584x4096,1376x4096,1024x8192

# A part of these in bf16, to see whether it behaves as f16 does.
SOME=4096x4096,8192x8192+1024+1024,14336x4096

RANKS=16,32,64,128
TOKENS=1,16,64,256,1024,4096

# The folders are measured in this order, as long as there is time.
compile() {
  local folder=$1
  rm -rf "$folder"
  mkdir -p "$folder"
  "$TUNE" --phase compile --shapes "$GRID" --lora-ranks $RANKS --num-loras 4,64 --tokens $TOKENS \
    --max-kernels "$MOST" -o "$folder/grid"
  "$TUNE" --phase compile --shapes "$GRID" --lora-ranks $RANKS --num-loras 4 --tokens 16384 \
    --max-kernels "$MOST" -o "$folder/large"
  "$TUNE" --phase compile --shapes "$MODELS" --lora-ranks $RANKS --num-loras 4,64 \
    --tokens $TOKENS --max-kernels $((MOST * 3 / 4)) -o "$folder/models"
  "$TUNE" --phase compile --shapes "$SOME" --lora-ranks 16,64 --num-loras 4 \
    --tokens 16,256,4096 --dtype bf16,f16 --max-kernels 30 -o "$folder/bf16"
  cp "${LORA_TUNE_PORTABLE:-$TUNE}" "$folder/lora-tune"
  cp scripts/tune_h200_measure.sh "$folder/measure.sh"
  if [[ -e kernels/tuned/h200.sqlite ]]; then
    cp kernels/tuned/h200.sqlite "$folder"
  fi
}

# The database goes along, without the name of the machine. A measurement that was killed has left
# a part of it in the log beside it.
export_list() {
  local copy
  copy=$(mktemp -d)
  trap "rm -rf '$copy'" EXIT
  cp --no-preserve=mode "$1"/h200.sqlite* "$copy"
  "$TUNE" prune --db "$copy/h200.sqlite"
  mkdir -p kernels/tuned
  python3 - "$copy/h200.sqlite" kernels/tuned/h200.sqlite <<'PYTHON'
import os, sqlite3, sys
database = sqlite3.connect(sys.argv[1])
database.execute("UPDATE session SET host = ''")
database.commit()
if os.path.exists(sys.argv[2]):
    os.remove(sys.argv[2])
database.execute("VACUUM INTO ?", sys.argv[2:])
PYTHON
  "$TUNE" export --db kernels/tuned/h200.sqlite --also-types bf16/bf16 -o kernels/tuned/h200.json
}

report() {
  python3 scripts/tune_report.py kernels/tuned/h200.sqlite "$1/bf16.sqlite"
  echo
  "$TUNE" show --summary --db kernels/tuned/h200.sqlite
  "$TUNE" replay --db "$1/exhaustive.sqlite" | tail -n 1
  grep 'problems tuned' "$1/measure.log" || true
}

case ${1:-} in
  compile) compile "$2" ;;
  export) export_list "$2" ;;
  report) report "$2" ;;
  *) sed -n '5,10s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2 && exit 1 ;;
esac
