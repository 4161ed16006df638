//===- HostContext.h - What compiled kernel code sees of its thread -------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "llvm/ADT/StringRef.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>

namespace lora::emulator {

/// The special registers a kernel may read, in the order of HostContext::registers. %warpid is not
/// among them: PTX lets it change while a thread runs.
inline constexpr llvm::StringLiteral specialRegisters[] = {
    "nvvm.read.ptx.sreg.tid.x",
    "nvvm.read.ptx.sreg.tid.y",
    "nvvm.read.ptx.sreg.tid.z",
    "nvvm.read.ptx.sreg.ntid.x",
    "nvvm.read.ptx.sreg.ntid.y",
    "nvvm.read.ptx.sreg.ntid.z",
    "nvvm.read.ptx.sreg.ctaid.x",
    "nvvm.read.ptx.sreg.ctaid.y",
    "nvvm.read.ptx.sreg.ctaid.z",
    "nvvm.read.ptx.sreg.nctaid.x",
    "nvvm.read.ptx.sreg.nctaid.y",
    "nvvm.read.ptx.sreg.nctaid.z",
    "nvvm.read.ptx.sreg.clusterid.x",
    "nvvm.read.ptx.sreg.clusterid.y",
    "nvvm.read.ptx.sreg.clusterid.z",
    "nvvm.read.ptx.sreg.nclusterid.x",
    "nvvm.read.ptx.sreg.nclusterid.y",
    "nvvm.read.ptx.sreg.nclusterid.z",
    "nvvm.read.ptx.sreg.cluster.ctaid.x",
    "nvvm.read.ptx.sreg.cluster.ctaid.y",
    "nvvm.read.ptx.sreg.cluster.ctaid.z",
    "nvvm.read.ptx.sreg.cluster.nctaid.x",
    "nvvm.read.ptx.sreg.cluster.nctaid.y",
    "nvvm.read.ptx.sreg.cluster.nctaid.z",
    "nvvm.read.ptx.sreg.cluster.ctarank",
    "nvvm.read.ptx.sreg.cluster.nctarank",
    "nvvm.read.ptx.sreg.laneid",
};

/// The first argument of a compiled kernel. Values wider than a register pass to and from the
/// runtime through `scratch`: an access uses its start, simt.mma the four places named below.
struct HostContext {
  std::array<uint32_t, std::size(specialRegisters)> registers;
  alignas(16) std::array<std::byte, 64> scratch;
};

inline constexpr unsigned mmaLhsOffset = 0;
inline constexpr unsigned mmaRhsOffset = 16;
inline constexpr unsigned mmaAccumulatorOffset = 32;
inline constexpr unsigned mmaResultOffset = 48;

/// A compiled kernel: the context, and an array with the address of every argument.
using KernelFunction = void (*)(HostContext *, void *const *);
inline constexpr llvm::StringLiteral kernelFunctionName = "lora_emulator_kernel";

} // namespace lora::emulator
