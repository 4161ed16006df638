# Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a command as two shards at the same time; fails unless both succeed."""

import subprocess
import sys


def main():
    shards = [subprocess.Popen(sys.argv[1:] + ["--shard", f"{i}/2"]) for i in range(2)]
    sys.exit(max(shard.wait() for shard in shards))


if __name__ == "__main__":
    main()
