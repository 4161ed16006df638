#!/usr/bin/env bash
# Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: test/gpu/benchmark.sh prepare PORTABLE BUILD FOLDER [RANK ...]
#        FOLDER/benchmark.sh run OUTPUT PART ...
#
# Runs the benchmarks on a machine that has a GPU, PyTorch, Triton and cuda-python, but no compiler.
# `prepare` collects what it needs: lora-bench and the runtime library of PORTABLE, a build
# configured with LORA_BUILD_COMPILER=OFF and LORA_STATIC_LIBSTDCXX=ON; the default pack of BUILD;
# candidates for the ranks (default: 16 and 64), compiled by the lora-compile of BUILD; and the
# Python package. `run` writes JSON, CSV and logs into OUTPUT. Parts:
#
#   smoke   one case of each tool; half a minute
#   grid    1 to 65536 tokens against Triton and cuBLAS, the published grid among them
#   others  other ranks, bf16, three slices, 64 adapters and an odd hidden size
#   layer   the pair between two products; a minute or so
#   tool    lora-bench over the published grid
#   models  lora-bench over the layers of two models
#   pass    whole forward passes of Llama-2-7b, ranks 8 and 64
#
# The last line is `N passed, N failed`; the exit status is 1 if one failed.
set -euo pipefail

prepare() {
  local portable=$1 build=$2 folder=$3
  shift 3
  [ $# -gt 0 ] || set -- 16 64
  local root
  root=$(dirname "$0")/../..
  mkdir -p "$folder/bin" "$folder/lib/lora-tile" "$folder/python"
  cp "$portable/bin/lora-bench" "$folder/bin"
  strip "$folder/bin/lora-bench"
  cp "$portable/lib/liblora_runtime.so.1" "$folder/lib"
  strip --strip-unneeded "$folder/lib/liblora_runtime.so.1"
  cp "$build/lib/lora-tile/default.pack" "$folder/lib/lora-tile"
  cp -r "$root/python/lora_tile" "$folder/python"
  find "$folder/python" -name __pycache__ -prune -exec rm -r {} +
  cp "$0" "$folder/benchmark.sh"
  LORA_COMPILE="$build/bin/lora-compile" PYTHONPATH="$folder/python" \
    python3 -m lora_tile.kernels --output "$folder/kernels" --lora-ranks "$@"
  # For the part `others`, whose ranks have to be among those above.
  LORA_COMPILE="$build/bin/lora-compile" PYTHONPATH="$folder/python" \
    python3 -m lora_tile.kernels --output "$folder/kernels" --lora-ranks 16 --dtype bf16
  LORA_COMPILE="$build/bin/lora-compile" PYTHONPATH="$folder/python" \
    python3 -m lora_tile.kernels --output "$folder/kernels" --lora-ranks 16 --align 1
}

passed=0
failed=0

# part NAME COMMAND ...
part() {
  local name=$1
  shift
  echo "== $name: $*"
  local begin=$SECONDS
  if "$@" >"$output/$name.log" 2>"$output/$name.err"; then
    passed=$((passed + 1))
    echo "== $name took $((SECONDS - begin)) s"
  else
    failed=$((failed + 1))
    echo "== $name failed after $((SECONDS - begin)) s"
    tail -n 20 "$output/$name.err"
  fi
}

grid_sizes=(--batch-sizes 1 16 64 128 256 512 1024 2048 4096 8192 16384 65536
  --hidden-sizes 1024 2048 4096 8192 16384 --lora-ranks 16 --num-loras 4)

python_bench() {
  local name=$1
  shift
  part "$name" python3 -m lora_tile.bench "$@" --kernels "$folder/kernels" \
    --json "$output/$name.json" "${csv[@]}"
}

run() {
  folder=$(cd "$(dirname "$0")" && pwd)
  output=$1
  shift
  mkdir -p "$output"
  export PYTHONPATH="$folder/python"
  local bench="$folder/bin/lora-bench"
  for name in "$@"; do
    csv=(--csv "$output/$name.csv")
    case "$name" in
      smoke)
        part smoke-tool "$bench" list_bench --batch-sizes 16 --hidden-sizes 1024 \
          --no-lora-fraction 0.1 --num-slices 1 3 --json "$output/smoke-tool.json"
        python_bench smoke list_bench --batch-sizes 16 --hidden-sizes 1024 --num-slices 1 3
        cat "$output/smoke-tool.log" "$output/smoke.log"
        ;;
      grid) python_bench grid list_bench "${grid_sizes[@]}" ;;
      others)
        python_bench ranks list_bench --batch-sizes 16 256 2048 --hidden-sizes 4096 \
          --lora-ranks 8 32 64 128 256 --num-loras 4
        python_bench slices list_bench --batch-sizes 16 256 2048 --hidden-sizes 4096 \
          --lora-ranks 16 --num-loras 4 --num-slices 3
        python_bench adapters list_bench --batch-sizes 256 --hidden-sizes 4096 --lora-ranks 16 \
          --num-loras 64
        python_bench odd list_bench --batch-sizes 16 256 2048 --hidden-sizes 2049 --lora-ranks 16 \
          --num-loras 4
        python_bench bf16 list_bench --batch-sizes 16 256 2048 --hidden-sizes 4096 \
          --lora-ranks 16 --num-loras 4 --dtype bf16
        ;;
      layer)
        python_bench layer layer_bench --batch-sizes 16 128 512 2048 8192 \
          --hidden-sizes 4096 8192 --lora-ranks 16 --num-loras 4
        cat "$output/layer.log"
        ;;
      tool)
        part tool "$bench" list_bench "${grid_sizes[@]}" --json "$output/tool.json" "${csv[@]}"
        ;;
      models)
        part models "$bench" model_bench --models Llama-2-7b-hf Meta-Llama-3-8B --tp-sizes 1 2 \
          --batch-sizes 1 16 64 256 2048 --lora-ranks 16 64 --json "$output/models.json" "${csv[@]}"
        ;;
      pass)
        csv=()
        python_bench pass model_pass --models Llama-2-7b-hf --tokens 1 16 64 128 512 8192 \
          --lora-ranks 8 64
        cat "$output/pass.log"
        ;;
      *)
        echo "benchmark.sh: found part '$name', expected smoke, grid, others, layer, tool, models or pass" >&2
        exit 1
        ;;
    esac
  done
  echo "$passed passed, $failed failed"
  [ "$failed" = 0 ]
}

case "${1:-}" in
  prepare | run) "$@" ;;
  *)
    echo "benchmark.sh: expected prepare or run, as its head says" >&2
    exit 1
    ;;
esac
