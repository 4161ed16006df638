//===- TestPack.h - Packs for the fake driver ---------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "lora/Pack/Pack.h"

#include <string>
#include <vector>

namespace lora::test {

/// A manifest of one of the shipped kernels with a configuration, as the compiler writes it.
KernelManifest makeManifest(const std::string &kernel, const std::string &target,
                            std::map<std::string, int64_t> config);

/// What a pack is made of.
struct PackParts {
  PackIndex index;
  std::vector<std::string> code;

  /// Adds a kernel, and a rule for it if `rule` is set.
  PackKernel &add(const std::string &id, KernelManifest manifest, CodeKind kind = CodeKind::Cubin,
                  bool rule = true);
  std::string bytes() const { return packBytes(index, code); }
};

/// Shrink, expand and shrink_expand in f16 for sm_90a, with and without alignment.
PackParts usualParts();

} // namespace lora::test
