//===- Slots.h - The arguments that launches can have -------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "lora/Runtime/Arguments.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace lora::api {

/// Every argument that a kernel of a pack may declare.
enum class Slot : uint8_t {
  X,
  A,
  B,
  S,
  Y,
  TokenIndices,
  RowBlocks,
  Ranks,
  Scalings,
  SliceOffsets,
  SliceWidths,
  TokenLora,
  TokenRanks,
  BadTokens,
  NumRowBlocks,
  Tokens,
  MaxTokens,
  Hidden,
  MaxRank,
  MaxWidth,
  YWidth,
  Slices,
  MaxLoras,
  XStride,
  AStride,
  BStride,
  SStride,
  SSliceStride,
  YStride,
};

struct SlotInfo {
  std::string_view name;
  ArgumentType type;
};

constexpr std::array<SlotInfo, 29> kSlots = {{
    {"x", ArgumentType::Pointer},
    {"a", ArgumentType::Pointer},
    {"b", ArgumentType::Pointer},
    {"s", ArgumentType::Pointer},
    {"y", ArgumentType::Pointer},
    {"token_indices", ArgumentType::Pointer},
    {"row_blocks", ArgumentType::Pointer},
    {"ranks", ArgumentType::Pointer},
    {"scalings", ArgumentType::Pointer},
    {"slice_offsets", ArgumentType::Pointer},
    {"slice_widths", ArgumentType::Pointer},
    {"token_lora", ArgumentType::Pointer},
    {"token_ranks", ArgumentType::Pointer},
    {"bad_tokens", ArgumentType::Pointer},
    {"num_row_blocks", ArgumentType::I32},
    {"tokens", ArgumentType::I32},
    {"max_tokens", ArgumentType::I32},
    {"hidden", ArgumentType::I32},
    {"max_rank", ArgumentType::I32},
    {"max_width", ArgumentType::I32},
    {"y_width", ArgumentType::I32},
    {"slices", ArgumentType::I32},
    {"max_loras", ArgumentType::I32},
    {"x_stride", ArgumentType::I64},
    {"a_stride", ArgumentType::I64},
    {"b_stride", ArgumentType::I64},
    {"s_stride", ArgumentType::I64},
    {"s_slice_stride", ArgumentType::I64},
    {"y_stride", ArgumentType::I64},
}};

inline std::optional<size_t> findSlot(std::string_view name) {
  for (size_t i = 0; i < kSlots.size(); ++i)
    if (kSlots[i].name == name)
      return i;
  return std::nullopt;
}

/// The value of each argument, in the low bytes.
struct Values : std::array<int64_t, kSlots.size()> {
  int64_t &operator[](Slot slot) { return data()[static_cast<size_t>(slot)]; }
  int64_t operator[](Slot slot) const { return data()[static_cast<size_t>(slot)]; }
};

} // namespace lora::api
