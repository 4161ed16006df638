//===- Files.cpp - Whole files in and out --------------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Support/Files.h"

#include "lora/Support/Error.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <list>
#include <sstream>

#include <unistd.h>

using namespace lora;

std::string lora::readFile(const std::string &path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream content;
  if (stream && !std::filesystem::is_directory(path))
    content << stream.rdbuf();
  else
    throw Error(path + ": cannot be read: " +
                (stream ? std::string("it is a directory") : std::strerror(errno)));
  return content.str();
}

namespace {

/// A file beside the place of another, which it replaces. Goes away with the object until then.
class Replacement {
public:
  explicit Replacement(const FileContent &file) : path(file.path), temporary(path) {
    std::filesystem::file_status status = std::filesystem::status(path);
    // A rename would fail only after others have succeeded.
    if (std::filesystem::is_directory(status))
      throw Error(path + ": cannot be written: it is a directory");
    // A pipe or a device, such as /dev/stdout, is written to and never replaced.
    if (!std::filesystem::exists(status) || std::filesystem::is_regular_file(status))
      temporary += ".tmp" + std::to_string(getpid());
    std::ofstream stream(temporary, std::ios::binary);
    stream.write(file.content.data(), static_cast<std::streamsize>(file.content.size()));
    stream.close();
    if (!stream)
      fail();
  }
  ~Replacement() { discard(); }
  Replacement(const Replacement &) = delete;
  Replacement &operator=(const Replacement &) = delete;

  void commit() {
    if (temporary != path && std::rename(temporary.c_str(), path.c_str()) != 0)
      fail();
  }

private:
  void discard() {
    if (temporary != path)
      std::remove(temporary.c_str());
  }
  [[noreturn]] void fail() {
    std::string reason = std::strerror(errno);
    discard();
    throw Error(path + ": cannot be written: " + reason);
  }

  std::string path, temporary;
};

} // namespace

void lora::writeFiles(std::span<const FileContent> files) {
  // A list, whose elements stay where they are.
  std::list<Replacement> replacements;
  for (const FileContent &file : files)
    replacements.emplace_back(file);
  for (Replacement &replacement : replacements)
    replacement.commit();
}

void lora::writeFile(const std::string &path, std::string_view content) {
  FileContent file = {path, content};
  writeFiles({&file, 1});
}

std::string lora::replaceExtension(const std::string &path, std::string_view extension) {
  return std::filesystem::path(path).replace_extension(extension).string();
}
