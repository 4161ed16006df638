//===- DefaultConfig.h - A configuration for a shape without tuning ------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "lora/Problem/LoraShape.h"

#include <cstdint>
#include <map>
#include <string>

namespace lora {

/// Values for the parameters of a kernel.
using Config = std::map<std::string, int64_t>;

/// A configuration of kernels/shrink.mlir or kernels/expand.mlir that is valid for a completed
/// shape, and chosen from its sizes alone: alignments as the strides and sizes allow, blocks as
/// large as the tokens of an adapter fill, and the reduced dimension shared among programs where
/// there would otherwise be few of them. Buffers are taken to be aligned to 16 bytes.
Config defaultConfig(LoraOp op, const LoraShape &shape);

/// The adapters that tokens can have: those with a rank, no more than there are tokens, at least
/// one.
int64_t adaptersInUse(const LoraShape &shape);

/// Blocks of `m` tokens of one adapter each, when every adapter in use has its share.
int64_t rowBlocks(const LoraShape &shape, int64_t m);

/// "BLOCK_M=16 BLOCK_N=32 ...".
std::string configText(const Config &config);

} // namespace lora
