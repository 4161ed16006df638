//===- Files.h - Whole files in and out ----------------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include <span>
#include <string>
#include <string_view>

namespace lora {

/// The content of a file. Throws Error with the path and the reason.
std::string readFile(const std::string &path);

struct FileContent {
  std::string path;
  std::string_view content;
};

/// Replaces files by contents, all of them wholly or, when Error is thrown, none: they are written
/// beside their places and then renamed. Pipes and devices are written to in place. Throws Error
/// with the path and the reason.
void writeFiles(std::span<const FileContent> files);

/// writeFiles for a single one.
void writeFile(const std::string &path, std::string_view content);

/// The path with the extension of its last component, if it has one, replaced by `extension`.
std::string replaceExtension(const std::string &path, std::string_view extension);

} // namespace lora
