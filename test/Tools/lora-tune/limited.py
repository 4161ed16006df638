# Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""limited.py full BYTES COMMAND... runs a command whose files cannot grow beyond a size, as on a
full disk; limited.py readonly FILE COMMAND... one that may not write a file or beside it.
"""

import os
import resource
import signal
import sys

NOBODY = 65534


def main():
    limit, value, command = sys.argv[1], sys.argv[2], sys.argv[3:]
    if limit == "full":
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(value), int(value)))
    else:
        os.chmod(value, 0o444)
        # Permissions do not hold for the superuser.
        if os.getuid() == 0:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
    os.execvp(command[0], command)


if __name__ == "__main__":
    main()
