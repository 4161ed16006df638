//===- TestFiles.h - Files and errors for the tests of the adapter reader ===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "lora/Support/Error.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

namespace lora::test {

/// A fresh directory that goes away with the object.
class TempDir {
public:
  TempDir() {
    std::string pattern = testing::TempDir() + "lora-adapter-XXXXXX";
    if (!mkdtemp(pattern.data()))
      throw Error("cannot create " + pattern);
    path = pattern;
  }
  ~TempDir() { std::filesystem::remove_all(path); }
  TempDir(const TempDir &) = delete;
  TempDir &operator=(const TempDir &) = delete;

  std::filesystem::path operator/(const std::string &name) const { return path / name; }
  const std::filesystem::path &root() const { return path; }

private:
  std::filesystem::path path;
};

inline std::filesystem::path writeFile(const std::filesystem::path &path,
                                       const std::string &contents) {
  std::ofstream(path, std::ios::binary) << contents;
  return path;
}

/// The bytes of a safetensors file; `length` overrides the header's true length.
inline std::string safetensorsBytes(const std::string &header, const std::string &data,
                                    std::optional<uint64_t> length = {}) {
  const uint64_t stated = length.value_or(header.size());
  std::string bytes(sizeof(stated), '\0');
  std::memcpy(bytes.data(), &stated, sizeof(stated));
  return bytes + header + data;
}

template <typename T> std::string bytesOf(const std::vector<T> &values) {
  return {reinterpret_cast<const char *>(values.data()), values.size() * sizeof(T)};
}

/// Expects `action` to throw an Error of one line of readable length that contains all `parts`.
template <typename Action>
void expectError(Action action, std::initializer_list<std::string> parts) {
  try {
    action();
  } catch (const Error &error) {
    const std::string message = error.what();
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    EXPECT_LT(message.size(), 600u) << message;
    for (const std::string &part : parts)
      EXPECT_NE(message.find(part), std::string::npos) << "no \"" << part << "\" in: " << message;
    return;
  }
  ADD_FAILURE() << "no error, expected: " << *parts.begin();
}

} // namespace lora::test
