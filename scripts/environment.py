# Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a test may find on the machine: a GPU, and the CUDA Toolkit's ptxas."""

import ctypes
import os
import shutil


def gpu_count():
    """The number of GPUs that the CUDA driver offers; 0 without a driver."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return 0
    count = ctypes.c_int(0)
    if driver.cuInit(0) != 0 or driver.cuDeviceGetCount(ctypes.byref(count)) != 0:
        return 0
    return count.value


def find_ptxas():
    """The path of ptxas in PATH, $CUDA_HOME/bin or /usr/local/cuda/bin; None without one."""
    folders = [os.path.join(os.environ["CUDA_HOME"], "bin")] if "CUDA_HOME" in os.environ else []
    folders.append("/usr/local/cuda/bin")
    return shutil.which("ptxas") or shutil.which("ptxas", path=os.pathsep.join(folders))
