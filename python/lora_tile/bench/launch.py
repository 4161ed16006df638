# Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads cubins of lora-tile and launches them on torch's streams, through the CUDA driver."""

import ctypes
import math

import numpy
import torch
from cuda.bindings import driver

from lora_tile.errors import Error

_CTYPES = {
    "ptr": ctypes.c_void_p, "i32": ctypes.c_int, "i64": ctypes.c_longlong, "f32": ctypes.c_float,
}  # fmt: skip
_STATIC_SHARED_BYTES = 48 * 1024
# The most blocks that every device lets a cluster have without being asked.
_PORTABLE_CLUSTER = 8


def _check(result, what):
    status, *values = result
    if status != driver.CUresult.CUDA_SUCCESS:
        raise Error(f"{what}: {status.name}")
    return values[0] if values else None


class LoadedKernel:
    """A kernel on the current device."""

    def __init__(self, kernel):
        self.kernel = kernel
        # The driver may load functions of the image later than the module.
        self.image = image = numpy.frombuffer(kernel.cubin.read_bytes(), dtype=numpy.uint8)
        module = _check(driver.cuModuleLoadData(image.ctypes.data), kernel.cubin)
        self.function = _check(
            driver.cuModuleGetFunction(module, kernel.symbol.encode()), kernel.cubin
        )
        if kernel.shared_bytes > _STATIC_SHARED_BYTES:
            attribute = driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
            _check(
                driver.cuFuncSetAttribute(self.function, attribute, kernel.shared_bytes),
                kernel.cubin,
            )
        if math.prod(kernel.cluster) > _PORTABLE_CLUSTER:
            attributes = driver.CUfunction_attribute
            _check(
                driver.cuFuncSetAttribute(
                    self.function,
                    attributes.CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED,
                    1,
                ),
                kernel.cubin,
            )
        self.workspace = None
        self.grids = {}

    def _attributes(self, dependent):
        attributes = []
        ids = driver.CUlaunchAttributeID
        if any(extent > 1 for extent in self.kernel.cluster):
            attribute = driver.CUlaunchAttribute()
            attribute.id = ids.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
            value = driver.CUlaunchAttributeValue()
            value.clusterDim.x, value.clusterDim.y, value.clusterDim.z = self.kernel.cluster
            attribute.value = value
            attributes.append(attribute)
        if dependent:
            attribute = driver.CUlaunchAttribute()
            attribute.id = ids.CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION
            value = driver.CUlaunchAttributeValue()
            value.programmaticStreamSerializationAllowed = 1
            attribute.value = value
            attributes.append(attribute)
        return attributes

    def _workspace(self, grid):
        """Device memory for the split sums of a grid; launches in stream order share it."""
        size = self.kernel.workspace_bytes_per_group
        if not size:
            return []
        groups = grid[0] * grid[1] * grid[2] // self.kernel.split_group_size
        if self.workspace is None or self.workspace[1].numel() < groups:
            self.workspace = (
                torch.empty(groups * size, dtype=torch.uint8, device="cuda"),
                torch.zeros(groups, dtype=torch.int32, device="cuda"),
            )
        return [buffer.data_ptr() for buffer in self.workspace]

    def _grid(self, values):
        # Every set of a pool asks for the same grid.
        sizes = {name: value for name, value in values.items() if isinstance(value, int)}
        key = tuple(sizes.values())
        if key not in self.grids:
            self.grids[key] = self.kernel.grid(sizes)
        return self.grids[key]

    def broken_assumption(self, values):
        """What the arguments lack for this kernel, or None."""
        return self.kernel.broken_assumption(_plain(values))

    def bind(self, values, dependent=False):
        """A function of a stream handle that launches the kernel on these arguments.

        `values` has a tensor or a number for each argument's name, and must outlive the function.
        """
        plain = _plain(values)
        grid = self._grid(values)
        packed = [plain[name] for name, _ in self.kernel.arguments]
        types = [_CTYPES[kind] for _, kind in self.kernel.arguments]
        extra = self._workspace(grid)
        parameters = (tuple(packed + extra), tuple(types + [ctypes.c_void_p] * len(extra)))

        config = driver.CUlaunchConfig()
        config.gridDimX, config.gridDimY, config.gridDimZ = grid
        config.blockDimX, config.blockDimY, config.blockDimZ = self.kernel.threads, 1, 1
        config.sharedMemBytes = self.kernel.shared_bytes
        attributes = self._attributes(dependent)
        config.attrs = attributes
        config.numAttrs = len(attributes)

        def launch(handle):
            config.hStream = handle
            _check(driver.cuLaunchKernelEx(config, self.function, parameters, 0), self.kernel.name)

        return launch


def _plain(values):
    return {
        name: value.data_ptr() if isinstance(value, torch.Tensor) else value
        for name, value in values.items()
    }


def launch_values(case, arguments, s, block_m):
    """The arguments of shrink, expand and shrink_expand by their names in the kernel files."""
    mapping = arguments.mapping
    blocks = mapping.row_blocks(block_m)
    return {
        "x": arguments.x,
        "a": arguments.a_table,
        "b": arguments.b_table,
        "s": s,
        "y": arguments.y,
        "token_indices": mapping.token_indices,
        "row_blocks": blocks,
        "num_row_blocks": len(blocks),
        "ranks": mapping.ranks,
        "scalings": mapping.scalings,
        "slice_offsets": mapping.slice_offsets,
        "slice_widths": mapping.slice_widths,
        "tokens": case.tokens,
        "hidden": case.hidden,
        "max_rank": case.rank,
        "max_width": max(case.widths),
        "y_width": case.y_width,
        "slices": case.slices,
        "max_loras": case.num_loras,
        "x_stride": arguments.x.stride(0),
        "a_stride": case.hidden,
        "s_stride": case.rank,
        "s_slice_stride": case.tokens * case.rank,
        "b_stride": case.rank,
        "y_stride": arguments.y.stride(0),
    }
