#!/usr/bin/env bash
# Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The second step of scripts/tune_h200.sh: measures the bundles beside this script.
#
#   measure.sh OUTPUT [BUDGET]
#
# BUDGET, in seconds, is for the f16 problems, the most important of which come first; about 60 s
# come on top. All that was measured is kept if it ends early: the same command goes on. So does the
# first one, from the database beside this script.
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
budget=${2:-400}
budget=${budget%s}
begin=$SECONDS
# Names without folders, so that what the databases say holds anywhere.
cd "$1"
exec > >(tee -a measure.log) 2>&1
if [[ ! -e h200.sqlite && -e "$here/h200.sqlite" ]]; then
  cp --no-preserve=mode "$here/h200.sqlite" .
fi
ln -sfn "$here" candidates
trap 'rm -f candidates' EXIT

# tune DEADLINE DATABASE BUNDLE OPTION...: measures until DEADLINE. A kernel that never ends costs
# the process, with status 3, one that accesses what it may not leaves the GPU to a new process:
# the next one goes on without it. What cannot be measured does not keep the rest from it.
tune() {
  local deadline=$1 database=$2 bundle=$3 status=0 attempt
  shift 3
  for attempt in 1 2 3 4 5; do
    ((SECONDS < deadline)) || break
    status=0
    "$here/lora-tune" --phase measure "candidates/$bundle" --db "$database" \
      --budget $((deadline - SECONDS))s --launch-limit 20 "$@" || status=$?
    ((status == 0)) && return
  done
  echo "$bundle: status $status"
}

main=$((begin + budget))
for bundle in grid large models; do
  tune "$main" h200.sqlite "$bundle" --untuned
done
tune $((SECONDS + 15)) bf16.sqlite bf16 --quiet
# A few problems wholly, against which the guided search is judged.
for only in 'shrink op,hidden=4096 slices=1,rank=16,adapters=4' \
  'expand op,widths=4096 rank,rank=16,adapters=4' \
  'shrink_expand op,hidden=4096 widths=4096 rank,rank=16,adapters=4'; do
  tune $((SECONDS + 15)) exhaustive.sqlite grid --quiet --exhaustive --only "$only"
done

set +e
"$here/lora-tune" show --db h200.sqlite --summary
for kernel in 'shrink op' 'expand op' 'shrink_expand op'; do
  "$here/lora-tune" show --db h200.sqlite --filter "$kernel" --sort default --limit 5
done
"$here/lora-tune" show --db bf16.sqlite --limit 1
"$here/lora-tune" replay --db exhaustive.sqlite
"$here/lora-tune" export --db h200.sqlite -o h200.json
# Leaves one file of each database, without the log beside it.
for name in exhaustive h200 bf16; do
  "$here/lora-tune" prune --db "$name.sqlite"
done
echo "done in $((SECONDS - begin)) s"
