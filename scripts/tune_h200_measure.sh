#!/usr/bin/env bash
# Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The second step of scripts/tune_h200.sh: measures the bundles beside this script.
#
#   measure.sh OUTPUT [BUDGET]
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
out=$1 budget=${2:-300s}
begin=$SECONDS

# A kernel that never ends costs the process, with status 3; the next one goes on without it.
tune() {
  local status=0 attempt
  for attempt in 1 2 3 4 5; do
    status=0
    "$here/lora-tune" "$@" || status=$?
    ((status == 3)) || break
  done
  return $status
}

# A few problems wholly, against which the guided search is judged.
for only in 'shrink op,hidden=4096 slices=1,rank=16,adapters=4' \
  'expand op,widths=4096 rank,rank=16,adapters=4' \
  'shrink_expand op,hidden=4096 widths=4096 rank,rank=16,adapters=4'; do
  tune --phase measure "$here/f16" --db "$out/exhaustive.sqlite" --exhaustive --only "$only" \
    --budget 20s --launch-limit 20 --quiet
done
tune replay --db "$out/exhaustive.sqlite"
tune --phase measure "$here/f16" --db "$out/h200.sqlite" --budget "$budget" --launch-limit 20
tune --phase measure "$here/bf16" --db "$out/bf16.sqlite" --budget 30s --launch-limit 20 --quiet
tune show --db "$out/h200.sqlite" --summary
for kernel in 'shrink op' 'expand op' 'shrink_expand op'; do
  tune show --db "$out/h200.sqlite" --filter "$kernel" --sort default --limit 5
done
tune show --db "$out/bf16.sqlite" --configs
tune export --db "$out/h200.sqlite" -o "$out/h200.json"
# Leaves one file of each database, without the log beside it.
for name in exhaustive h200 bf16; do
  tune prune --db "$out/$name.sqlite"
done
echo "done in $((SECONDS - begin)) s"
