#!/usr/bin/env bash
# Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Formats the C++ files with clang-format, or with --check says which ones are not formatted.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fail() {
  printf 'format.sh: error: %s\n' "$*" >&2
  exit 1
}

mode=(-i)
case "${1:-}" in
  "") ;;
  --check) mode=(--dry-run -Werror) ;;
  *) fail "expected no argument or --check, got: $*" ;;
esac

# Other versions format some lines differently.
formatter=$(command -v clang-format-14) || fail "clang-format-14 not found: install the Debian package"

mapfile -d '' files < <(git ls-files -z --cached --others --exclude-standard -- '*.h' '*.cpp')
"$formatter" "${mode[@]}" "${files[@]}"
