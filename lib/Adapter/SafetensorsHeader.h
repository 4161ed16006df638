//===- SafetensorsHeader.h - The JSON header of a safetensors file -------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lora {

/// What the header says of one tensor; only its syntax has been checked.
struct HeaderEntry {
  std::string name;
  std::string typeName;
  std::vector<int64_t> shape;
  /// [begin, end) in bytes from the end of the header.
  uint64_t begin = 0;
  uint64_t end = 0;
};

/// The tensors in the order of the header. Memory use is proportional to the number of tensors.
/// Throws Error, whose message starts with `path`, on malformed JSON, on a field that is missing,
/// repeated, unknown or of the wrong kind, and on a repeated tensor.
std::vector<HeaderEntry> parseSafetensorsHeader(const std::string &path, std::string_view json);

} // namespace lora
