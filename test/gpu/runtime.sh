#!/usr/bin/env bash
# Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: test/gpu/runtime.sh prepare BUILD PACK FOLDER
#        test/gpu/runtime.sh run FOLDER [no-sanitizer]
#
# Tests the runtime library on a machine with a GPU, which needs nothing but the driver and, for the
# second half, compute-sanitizer. `prepare` collects what that machine needs: the library of BUILD,
# configured with LORA_BUILD_COMPILER=OFF and LORA_STATIC_LIBSTDCXX=ON, its tests, the example in C
# and a kernel pack. `run` runs the tests (a minute or so) and the example, and then the tests whose
# name has `Small` under memcheck, racecheck and initcheck (some minutes). The last line is
# `N passed, N failed`, over these parts; the exit status is 1 if one failed.
set -euo pipefail

prepare() {
  local build=$1 pack=$2 folder=$3
  local source
  source=$(dirname "$0")/../../examples/c_engine
  rm -rf "$folder"
  mkdir -p "$folder/bin"
  cmake --install "$build" --component runtime --prefix "$folder" >/dev/null
  mkdir -p "$folder/lib/lora-tile"
  cp "$pack" "$folder/lib/lora-tile/default.pack"
  cp "$build/unit/GpuRuntimeTests" "$folder/bin"
  cc -std=c11 -O2 -o "$folder/bin/c_engine" "$source"/*.c -I"$folder/include" -L"$folder/lib" \
    -llora_runtime -ldl -lm
}

passed=0
failed=0

part() {
  local name=$1
  shift
  echo "== $name: $*"
  if "$@"; then
    passed=$((passed + 1))
  else
    echo "== $name failed"
    failed=$((failed + 1))
  fi
}

run() {
  local folder=$1
  export LD_LIBRARY_PATH="$folder/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
  export LORA_TEST_PACK="$folder/lib/lora-tile/default.pack"
  local tests="$folder/bin/GpuRuntimeTests"
  part tests "$tests" --gtest_brief=1
  part example "$folder/bin/c_engine"
  if [ "${2:-}" != no-sanitizer ]; then
    for tool in memcheck racecheck initcheck; do
      part "$tool" compute-sanitizer --tool "$tool" --error-exitcode 9 \
        "$tests" --gtest_brief=1 --gtest_filter='*Small*'
    done
  fi
  echo "$passed passed, $failed failed"
  [ "$failed" = 0 ]
}

case "${1:-}" in
prepare | run) "$@" ;;
*)
  sed -n 's/^# \(Usage: .*\)/\1/p; s/^#  \( *test.*\)/ \1/p' "$0" >&2
  exit 2
  ;;
esac
