//===- Generator.h - Random cases ------------------------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "Case.h"

namespace lora::differential {

/// Case number `index` of the sequence that belongs to a seed. It is valid, and cheap enough to be
/// one of hundreds. Its launches are for some of `targets`, which must be names of known ones.
Case randomCase(uint64_t seed, uint64_t index, const std::vector<std::string> &targets);

} // namespace lora::differential
