#!/usr/bin/env python3
# Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a benchmark into a JSON file, sends it what Ctrl-C sends once the file has a row, and fails
unless the command ends with exit status 130 and the file is whole.

Usage: interrupt.py FILE COMMAND ...
"""

import json
import pathlib
import signal
import subprocess
import sys
import time


def rows_of(path):
    return len(json.loads(path.read_text())["rows"]) if path.exists() else 0


def main():
    path = pathlib.Path(sys.argv[1])
    path.unlink(missing_ok=True)
    # A test run in the background may have been told to ignore it.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    process = subprocess.Popen([*sys.argv[2:], "--json", str(path)])
    end = time.monotonic() + 60
    while rows_of(path) == 0 and process.poll() is None and time.monotonic() < end:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    try:
        status = process.wait(timeout=60)
    except subprocess.TimeoutExpired:
        process.kill()
        sys.exit("expected the command to end, found it running a minute later")
    if status != 130:
        sys.exit(f"expected exit status 130, found {status}")
    print(f"{rows_of(path)} rows are kept")


if __name__ == "__main__":
    main()
