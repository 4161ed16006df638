# Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fails if an op that a TableGen file of the simt dialect defines is not in a kernel."""

import pathlib
import re
import sys


def main():
    definitions, kernel = (pathlib.Path(path).read_text() for path in sys.argv[1:])
    count = len(re.findall(r"^def Simt_\w+Op\b", definitions, re.MULTILINE))
    ops = re.findall(r'^def Simt_\w+Op : Simt_Op<"(\w+)"', definitions, re.MULTILINE)
    if count == 0 or len(ops) != count:
        sys.exit(f"{sys.argv[1]}: expected {count} definitions with a name, found {len(ops)}")
    unused = [op for op in ops if not re.search(rf"\bsimt\.{op}(?!\w)", kernel)]
    if unused:
        sys.exit(f"{sys.argv[2]}: expected all {count} ops, found no simt.{', simt.'.join(unused)}")


if __name__ == "__main__":
    main()
