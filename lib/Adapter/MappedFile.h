//===- MappedFile.h - A read-only memory mapping of a file ---------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

namespace lora {

class MappedFile {
public:
  /// Throws Error when `path` is not a regular file or cannot be read.
  explicit MappedFile(const std::filesystem::path &path);
  ~MappedFile();
  MappedFile(const MappedFile &) = delete;
  MappedFile &operator=(const MappedFile &) = delete;

  const std::string &path() const { return name; }
  std::span<const std::byte> bytes() const { return contents; }

private:
  std::string name;
  std::span<const std::byte> contents;
};

} // namespace lora
