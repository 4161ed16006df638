//===- PackTarget.h - Anything at all, loaded as a pack -----------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include <string>

namespace lora::fuzz {

/// How far a pack came.
enum class PackVerdict { Refused, Loaded, Launched };

/// Loads the bytes as a pack through the C interface, over a driver that does nothing, and launches
/// every op. Throws std::logic_error if a status is one that bad bytes must not lead to, or if
/// something is left behind.
PackVerdict runPack(const std::string &bytes);

/// The pack with the checksums and sizes that its content should have, so that what lies behind
/// them is reached. What is no pack is returned as it is.
std::string sealPack(std::string bytes);

} // namespace lora::fuzz
