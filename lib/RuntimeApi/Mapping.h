//===- Mapping.h - What a lora_mapping holds ----------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "Context.h"
#include "RowBlocks.h"
#include "Staging.h"

#include <vector>

/// Not thread-safe.
struct lora_mapping {
public:
  /// Waits for the first copy. The context must be current.
  lora_mapping(lora_context &context, const lora_mapping_options &options);

  void setHost(const int32_t *tokenLora, int32_t tokens, void *stream);
  void setDevice(const int32_t *tokenLora, int32_t tokens, void *stream);
  int32_t countBadTokens(void *stream);

  lora_context &context;
  const int32_t maxLoras;
  const int32_t maxTokens;

  int32_t tokens() const { return count; }
  /// The adapters in use, or -1 if only the device knows.
  int32_t active() const { return known; }

  // On the device.
  lora::cuda::DevicePointer tokenIndices() const { return staged.address() + indicesOffset(); }
  /// The table for a block size, by its place in kRowBlockSizes.
  lora::cuda::DevicePointer rowBlocks(size_t table) const {
    return staged.address() + sizeof(Header) + sizeof(lora::RowBlock) * tables[table];
  }

private:
  /// The entries behind it are aligned to 16 bytes.
  struct alignas(16) Header {
    /// Written by the device.
    int32_t badTokens = 0;
    /// In a staging buffer: how many entries of each table are not idle.
    std::array<int32_t, lora::kRowBlockSizes.size()> used = {};
  };

  size_t indicesOffset() const { return sizeof(Header) + sizeof(lora::RowBlock) * tables.back(); }
  void checkTokens(const int32_t *tokenLora, int32_t tokens) const;
  /// Counts the tokens of each slot. Throws StatusError if a slot is out of range.
  void countTokens(std::span<const int32_t> tokenLora);
  /// Writes a mapping into a staging buffer, which holds an earlier one.
  lora::api::RowBlockUse write(std::byte *memory, std::span<const int32_t> tokenLora);

  const lora::api::RowBlockTables tables;
  /// Header, all tables, and token indices.
  lora::api::StagedBuffer staged;
  /// For map_tokens, [maxTokens].
  lora::api::DeviceMemory tokenRanks;
  std::vector<int32_t> counts;
  int32_t count = 0;
  int32_t known = 0;
};
