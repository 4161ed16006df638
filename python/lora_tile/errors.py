# Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The error that a tool prints as one line."""


class Error(Exception):
    """What is wrong, where, what was found and what was expected, in one line."""


def run_tool(name, body):
    """Calls `body`, and returns the exit status of a tool: 1 after an Error, which is printed."""
    import sys

    try:
        return body() or 0
    except Error as error:
        print(f"{name}: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        sys.stderr.close()
        return 1
