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

void lora::writeFile(const std::string &path, std::string_view content) {
  std::string temporary = path + ".tmp" + std::to_string(getpid());
  std::ofstream stream(temporary, std::ios::binary);
  stream.write(content.data(), static_cast<std::streamsize>(content.size()));
  stream.close();
  if (!stream || std::rename(temporary.c_str(), path.c_str()) != 0) {
    std::string reason = std::strerror(errno);
    std::remove(temporary.c_str());
    throw Error(path + ": cannot be written: " + reason);
  }
}

std::string lora::replaceExtension(const std::string &path, std::string_view extension) {
  return std::filesystem::path(path).replace_extension(extension).string();
}
