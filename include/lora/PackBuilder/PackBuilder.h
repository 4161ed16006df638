//===- PackBuilder.h - Packs from lists of kernels ----------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "lora/Pack/Pack.h"

#include <string>

namespace lora {

/// Compiles the kernels of a list, in the form that docs/kernel-pack.md describes, and returns the
/// bytes of the pack. Files that the list names are taken relative to its own folder. Throws Error,
/// which names the list and the entry, if it is not valid or a kernel does not compile.
std::string buildPack(const std::string &listPath);

/// The content of a pack as text: a line for each kernel and each rule.
std::string describePack(const Pack &pack);

} // namespace lora
