//===- HostBackend.h - Kernels run on the host ---------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "lora/Compiler/Compiler.h"
#include "lora/Dispatch/DefaultConfig.h"
#include "lora/Problem/LoraProblem.h"

#include <cstdint>
#include <span>

namespace lora {

/// Where a kernel can run without a GPU.
enum class HostBackend { Interpreter, Emulator };

/// How the shipped kernel of an op is compiled for a shape.
CompileOptions compileOptionsFor(LoraOp op, const LoraShape &shape, const Config &config,
                                 std::string target);

/// What a kernel may do with its buffers.
struct HostAccess {
  /// The only one that it writes; any of them if null.
  const HostBuffer *output = nullptr;
  /// Whether it may read bytes of the output that it has not written.
  bool readsOutput = true;
};

/// Compiles `source` (see Compilation) and runs it once over host buffers. `name` stands for the
/// source in messages, `seed` decides the order of blocks and threads. With `showProgress`, prints
/// a line on the standard error now and then when the emulator takes longer than 5 s. Throws Error
/// if the kernel does not compile, the arguments do not fit it, or it does something that is
/// undefined.
void runOnHost(HostBackend backend, std::string_view source, const std::string &name,
               const CompileOptions &options, const Arguments &arguments,
               std::span<HostBuffer> buffers, uint64_t seed = 0, const HostAccess &access = {},
               bool showProgress = false);

/// Runs the shipped kernel of the problem's op.
void runOnHost(HostBackend backend, LoraProblem &problem, const Config &config,
               const std::string &target, uint64_t seed = 0, bool showProgress = false);

} // namespace lora
