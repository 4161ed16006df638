# Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Configuration of the lit tests; run them with `lit build/release/test`."""

import os
import sys

import lit.formats

sys.path.insert(0, os.path.join(config.project_source_dir, "scripts"))
import environment

config.name = "lora-tile"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["data", "unit", "gpu"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.project_binary_dir, "test")

# Tools are named by their path, so that a test never runs another build's.
OUR_TOOLS = ["lora-opt", "lora-compile", "lora-run", "lora-bench", "lora-tune"]
LLVM_TOOLS = ["FileCheck", "count", "not", "split-file"]


def add_tool(folder, name):
    path = os.path.join(folder, name)
    # Not inside a longer name, a path or an option such as --op=lora-opt.
    config.substitutions.append((rf"(?<![\w./=-]){name}(?![\w./=-])", path))


for tool in OUR_TOOLS:
    add_tool(os.path.join(config.project_binary_dir, "bin"), tool)
for tool in LLVM_TOOLS:
    add_tool(config.llvm_tools_dir, tool)
config.substitutions.append(("%kernels", os.path.join(config.project_source_dir, "kernels")))
config.substitutions.append(("%data", os.path.join(config.test_source_root, "data")))
config.substitutions.append(("%build", config.project_binary_dir))
config.substitutions.append(("%scripts", os.path.join(config.project_source_dir, "scripts")))
config.substitutions.append(("%python", sys.executable))
config.substitutions.append(("%package", os.path.join(config.project_source_dir, "python")))
# The driver of a machine whose GPU is emulated, and kernels for it.
config.substitutions.append(
    ("%emulated", "LD_LIBRARY_PATH=" + os.path.join(config.project_binary_dir, "lib", "emulated"))
)
config.substitutions.append(
    (
        "%emulator_pack",
        os.path.join(config.project_binary_dir, "lib", "lora-tile", "emulator.pack"),
    )
)
config.substitutions.append(
    ("%fails", sys.executable + " " + os.path.join(config.test_source_root, "Tools", "fails.py"))
)

if environment.gpu_count() > 0:
    config.available_features.add("gpu")
ptxas = environment.find_ptxas()
if ptxas:
    config.available_features.add("ptxas")
    config.environment["PATH"] = os.pathsep.join(
        [os.path.dirname(ptxas), config.environment["PATH"]]
    )
