# Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`python -m lora_tile.bench`."""

import sys

from lora_tile.bench.cli import main

sys.exit(main())
