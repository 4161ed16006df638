//===- MapTokens.h - The kernel map_tokens on the host ------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include <cstdint>

namespace lora::emulated {

/// The arguments of map_tokens; kernels/map_tokens.ptx says what they are.
struct MapTokens {
  /// Reads them as a launch has them.
  static MapTokens read(void **arguments);

  /// Does what the kernel does, to the same values, except that the tokens of an adapter are always
  /// in their order.
  void run() const;

  const int32_t *tokenLora;
  int32_t *tokenIndices;
  void *rowBlocks;
  int32_t *badTokens;
  int32_t tokens, maxTokens, maxLoras;
};

} // namespace lora::emulated
