# Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`python -m lora_tile.bench`."""

import sys

from lora_tile.bench.cli import main

# Worker processes import this module by another name.
if __name__ == "__main__":
    sys.exit(main())
