#!/usr/bin/env bash
# Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: scripts/test_example.sh BUILD FOLDER
#
# Installs the runtime library of a build into FOLDER, builds examples/c_engine outside of the tree
# against it, and runs it on the emulator.
set -euo pipefail

build=$(realpath "$1")
mkdir -p "$2"
folder=$(realpath "$2")
source=$(realpath "$(dirname "$0")/../examples/c_engine")

cmake --install "$build" --component runtime --prefix "$folder/prefix" >"$folder/install.log"
cmake -S "$source" -B "$folder/build" -DCMAKE_PREFIX_PATH="$folder/prefix" \
  -DCMAKE_C_FLAGS="-Wall -Wextra -Werror -pedantic" >"$folder/configure.log"
cmake --build "$folder/build" >"$folder/build.log"
"$folder/build/c_engine" "$build/lib/lora-tile/emulator.pack" \
  "$build/lib/liblora_emulated_driver.so"
