#!/usr/bin/env bash
# Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The second step of scripts/tune_h200.sh: measures the bundles beside this script.
#
#   measure.sh OUTPUT [BUDGET]
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
budget=${2:-300s}
begin=$SECONDS
# Names without folders, so that what the databases say holds anywhere.
cd "$1"
ln -sfn "$here" candidates
trap 'rm -f candidates' EXIT

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
  tune --phase measure candidates/f16 --db exhaustive.sqlite --exhaustive --only "$only" \
    --budget 20s --launch-limit 20 --quiet
done
tune replay --db exhaustive.sqlite
tune --phase measure candidates/f16 --db h200.sqlite --budget "$budget" --launch-limit 20
tune --phase measure candidates/bf16 --db bf16.sqlite --budget 30s --launch-limit 20 --quiet
tune show --db h200.sqlite --summary
for kernel in 'shrink op' 'expand op' 'shrink_expand op'; do
  tune show --db h200.sqlite --filter "$kernel" --sort default --limit 5
done
tune show --db bf16.sqlite --configs
tune export --db h200.sqlite -o h200.json
# Leaves one file of each database, without the log beside it.
for name in exhaustive h200 bf16; do
  tune prune --db "$name.sqlite"
done
echo "done in $((SECONDS - begin)) s"
