//===- DType.h - Element types of tensors in memory -----------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "lora/Support/Half.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lora {

/// The element type of a tensor in memory.
enum class DType { F16, BF16, F32 };

/// Bytes of one element.
constexpr size_t byteSize(DType type) { return type == DType::F32 ? 4 : 2; }

/// "f16", "bf16" or "f32".
std::string_view dtypeName(DType type);

/// The inverse of dtypeName. Throws Error on any other text.
DType parseDType(std::string_view name);

/// The value of element `index` of an array of `type`; every value of every DType is a float.
inline float loadElement(DType type, const void *data, int64_t index) {
  switch (type) {
  case DType::F16:
    return halfToFloat(static_cast<const uint16_t *>(data)[index]);
  case DType::BF16:
    return bfloatToFloat(static_cast<const uint16_t *>(data)[index]);
  default:
    return static_cast<const float *>(data)[index];
  }
}

/// Stores `value`, rounded to the nearest value of `type`, as element `index` of an array.
inline void storeElement(DType type, void *data, int64_t index, float value) {
  switch (type) {
  case DType::F16:
    static_cast<uint16_t *>(data)[index] = floatToHalf(value);
    break;
  case DType::BF16:
    static_cast<uint16_t *>(data)[index] = floatToBFloat(value);
    break;
  default:
    static_cast<float *>(data)[index] = value;
  }
}

} // namespace lora
