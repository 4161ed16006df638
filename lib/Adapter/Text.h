//===- Text.h - Values from a file, as text for one-line messages --------===//
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

/// `text` in single quotes, its control characters escaped, cut after `limit` bytes with "...".
/// Files come from anywhere: a name may hold line breaks or be megabytes long.
inline std::string inQuotes(std::string_view text, size_t limit = 120) {
  const bool cut = text.size() > limit;
  size_t length = cut ? limit : text.size();
  // Do not cut inside a UTF-8 sequence, whose later bytes are 10xxxxxx.
  while (cut && length > 0 && (static_cast<unsigned char>(text[length]) & 0xc0) == 0x80)
    --length;
  std::string result = "'";
  for (const char character : text.substr(0, length)) {
    const auto byte = static_cast<unsigned char>(character);
    if (byte >= 0x20 && byte != 0x7f) {
      result += character;
      continue;
    }
    constexpr char digits[] = "0123456789abcdef";
    result += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
  }
  return result + (cut ? "...'" : "'");
}

/// "[2, 3]"
inline std::string shapeText(const std::vector<int64_t> &shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

} // namespace lora
