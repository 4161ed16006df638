//===- PackIndex.h - The index of a pack as JSON ------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "lora/Pack/Pack.h"

namespace lora {

std::string packIndexToJson(const PackIndex &index);

/// Throws Error, which begins with `where`, if the text is no index, a rule names a kernel that is
/// not there, or the code of a kernel is not inside of `codeEnd` bytes.
PackIndex packIndexFromJson(std::string_view text, uint64_t codeEnd, const std::string &where);

} // namespace lora
