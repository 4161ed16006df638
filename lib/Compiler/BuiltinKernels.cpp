//===- BuiltinKernels.cpp - The kernels that ship with the compiler ------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Compiler/Compiler.h"
#include "lora/Support/Error.h"

using namespace lora;

namespace {

struct BuiltinKernel {
  std::string_view name, source;
};

constexpr BuiltinKernel kKernels[] = {
#include "BuiltinKernels.inc"
};

} // namespace

std::string_view lora::builtinKernel(std::string_view op) {
  std::string known;
  for (const BuiltinKernel &kernel : kKernels) {
    if (kernel.name == op)
      return kernel.source;
    known += (known.empty() ? "" : ", ") + std::string(kernel.name);
  }
  throw Error("unknown op '" + std::string(op) + "': expected one of " + known);
}
