#!/usr/bin/env bash
# Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs what is missing, builds everything and runs all tests. Options go to scripts/run_tests.py:
#
#   scripts/test.sh                  every test
#   scripts/test.sh --filter NAME    the tests whose name contains NAME
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/common.sh

prepare
configure_and_build
say "Running the tests"
python3 scripts/run_tests.py --build build/release "$@"
