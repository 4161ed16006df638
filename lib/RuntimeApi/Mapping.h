//===- Mapping.h - What a lora_mapping holds ----------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "Context.h"
#include "Staging.h"

#include <vector>

/// Not thread-safe.
struct lora_mapping {
public:
  lora_mapping(lora_context &context, const lora_mapping_options &options);

  void setHost(const int32_t *tokenLora, int32_t tokens, void *stream);
  void setDevice(const int32_t *tokenLora, int32_t tokens, void *stream);
  void setV1(const lora_v1_mapping &buffers);
  int32_t countBadTokens(void *stream);

  lora_context &context;
  const int32_t maxLoras;

  /// The device buffers that launches read, as in lora_v1_mapping.
  struct Buffers {
    lora::cuda::DevicePointer indices = 0, counts = 0, starts = 0, ids = 0;
  };
  const Buffers &buffers() const { return used; }
  int32_t tokens() const { return count; }
  /// The adapters in use, or -1 if only the device knows.
  int32_t active() const { return known; }
  /// Whether -1 may be among the ids that are in use.
  bool listsTokensWithout() const { return foreign; }

private:
  void checkTokens(int32_t tokens) const;
  size_t badTokensOffset() const { return 3 * static_cast<size_t>(maxLoras) + 4; }
  size_t indicesOffset() const { return badTokensOffset() + 1; }
  Buffers ownBuffers() const;

  const int32_t maxTokens;
  /// [counts maxLoras + 1, starts maxLoras + 2, ids maxLoras + 1, bad tokens 1, indices maxTokens],
  /// int32 each.
  lora::api::StagedBuffer staged;
  std::vector<int32_t> scratch;
  Buffers used;
  int32_t count = 0;
  int32_t known = 0;
  bool foreign = false;
};
