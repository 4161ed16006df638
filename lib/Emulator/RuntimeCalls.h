//===- RuntimeCalls.h - The functions that compiled kernel code calls -----===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace lora::emulator {

/// A C function of the runtime. The first letter of its signature is the result, the others are
/// the arguments: v none, i 32-bit integer, l 64-bit integer, p pointer. The first argument is the
/// HostContext, the second, but for `poll`, the index of the op in the OpTable.
struct RuntimeFunction {
  llvm::StringLiteral name;
  llvm::StringLiteral signature;
  void *address;
};

llvm::ArrayRef<RuntimeFunction> runtimeFunctions();

/// Functions the code generator of the host calls for conversions of 16-bit floats.
llvm::ArrayRef<RuntimeFunction> conversionFunctions();

} // namespace lora::emulator
