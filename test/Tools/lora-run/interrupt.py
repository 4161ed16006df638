# Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a command, sends it what Ctrl-C sends, and fails unless it dies of that at once."""

import signal
import subprocess
import sys
import time


def main():
    # A test run in the background may have been told to ignore it.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    process = subprocess.Popen(sys.argv[1:])
    time.sleep(1.5)
    process.send_signal(signal.SIGINT)
    try:
        status = process.wait(timeout=5)
    except subprocess.TimeoutExpired:
        process.kill()
        sys.exit("expected the command to end, found it running 5 s later")
    if status != -signal.SIGINT:
        sys.exit(f"expected the command to die of the signal, found status {status}")


if __name__ == "__main__":
    main()
