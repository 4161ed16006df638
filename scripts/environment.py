# Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a test may find on the machine: a GPU, and the CUDA Toolkit's ptxas."""

import ctypes
import os
import shutil


def load_driver():
    """The CUDA driver, initialised; None without one or without a GPU."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return None
    return driver if driver.cuInit(0) == 0 else None


def gpu_count():
    """The number of GPUs that the CUDA driver offers; 0 without a driver."""
    driver = load_driver()
    count = ctypes.c_int(0)
    if driver is None or driver.cuDeviceGetCount(ctypes.byref(count)) != 0:
        return 0
    return count.value


def gpu_arch():
    """What to compile for on this machine's first GPU, e.g. sm_90a; None without one."""
    if gpu_count() == 0:
        return None
    major, minor = 75, 76  # CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR and _MINOR
    driver, device, value = load_driver(), ctypes.c_int(0), ctypes.c_int(0)
    driver.cuDeviceGet(ctypes.byref(device), 0)
    capability = ""
    for attribute in (major, minor):
        driver.cuDeviceGetAttribute(ctypes.byref(value), attribute, device)
        capability += str(value.value)
    # From 9.0 on, the features of one architecture alone are used.
    return f"sm_{capability}" + ("a" if int(capability) >= 90 else "")


def find_ptxas():
    """The path of ptxas in PATH, $CUDA_HOME/bin or /usr/local/cuda/bin; None without one."""
    folders = [os.path.join(os.environ["CUDA_HOME"], "bin")] if "CUDA_HOME" in os.environ else []
    folders.append("/usr/local/cuda/bin")
    return shutil.which("ptxas") or shutil.which("ptxas", path=os.pathsep.join(folders))
