//===- Files.h - Whole files in and out ----------------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include <string>
#include <string_view>

namespace lora {

/// The content of a file. Throws Error with the path and the reason.
std::string readFile(const std::string &path);

/// Replaces a file by `content`, wholly or, when Error is thrown, not at all: it is written beside
/// its place and then renamed.
void writeFile(const std::string &path, std::string_view content);

/// The path with the extension of its last component, if it has one, replaced by `extension`.
std::string replaceExtension(const std::string &path, std::string_view extension);

} // namespace lora
