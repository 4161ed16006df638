#!/usr/bin/env python3
# Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a command that must fail as the tools promise, and prints its message.

That is: exit status 1, and one line on the standard error.
"""

import subprocess
import sys


def main():
    result = subprocess.run(
        sys.argv[1:], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace"
    )
    print(result.stderr, end="", flush=True)
    if result.returncode != 1:
        print(f"fails.py: expected exit status 1, found {result.returncode}", file=sys.stderr)
        return 1
    lines = result.stderr.count("\n")
    if lines != 1 or not result.stderr.endswith("\n"):
        print(f"fails.py: expected one line of message, found {lines}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
