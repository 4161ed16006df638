//===- ShrinkExpandConfig.h - A configuration for a single launch -------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "lora/Dispatch/DefaultConfig.h"

#include <optional>

namespace lora {

/// A configuration of kernels/shrink_expand.mlir for a shape that is completed for both ops, or
/// nothing where the two kernels are taken to be faster. Needs a target with clusters.
///
/// Found on an H200 with 1 to 64 adapters and f16, where a single launch wins for ranks up to 16
/// and up to 1024 tokens, and beyond that for short rows.
std::optional<Config> shrinkExpandConfig(const LoraShape &shape);

} // namespace lora
