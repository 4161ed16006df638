# Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""kill.py DATABASE COMMAND...: runs a command that fills a database again and again, killing it a
little later each time, until it ends by itself. No measurement may be lost, nor be made twice. The
second time it is interrupted as by Ctrl-C instead.
"""

import os
import signal
import sqlite3
import subprocess
import sys
import time


def measurements(path):
    if not os.path.exists(path):
        return []
    with sqlite3.connect(path) as database:
        tables = database.execute("SELECT name FROM sqlite_master").fetchall()
        if ("measurement",) not in tables:
            return []
        return database.execute(
            "SELECT problem, kernel FROM measurement WHERE round = 'screen'"
        ).fetchall()


def main():
    path, command = sys.argv[1], sys.argv[2:]
    known = 0
    for attempt in range(200):
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        try:
            _, message = process.communicate(timeout=0.05 + 0.06 * attempt)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT if attempt == 1 else signal.SIGKILL)
            _, message = process.communicate()
        found = measurements(path)
        if len(found) < known:
            sys.exit(f"expected at least {known} measurements, found {len(found)}")
        if len(set(found)) != len(found):
            sys.exit("a candidate was measured twice")
        known = len(found)
        if process.returncode == 0:
            print(f"{attempt} attempts, {known} measurements")
            return
        if process.returncode == 1 and "interrupted" not in message:
            sys.exit(message)
    sys.exit("it never ended by itself")


if __name__ == "__main__":
    main()
