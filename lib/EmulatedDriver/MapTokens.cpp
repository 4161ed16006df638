//===- MapTokens.cpp - The kernel map_tokens on the host ----------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MapTokens.h"

#include "RowBlocks.h"

#include <algorithm>
#include <vector>

using namespace lora;
using namespace lora::emulated;

MapTokens MapTokens::read(void **arguments) {
  auto pointer = [&](int i) { return *static_cast<int32_t **>(arguments[i]); };
  auto number = [&](int i) { return *static_cast<int32_t *>(arguments[i]); };
  // Argument 2 is scratch memory, which the host does not need.
  return {pointer(0), pointer(1), pointer(3), pointer(4), number(5), number(6), number(7)};
}

void MapTokens::run() const {
  std::span<const int32_t> slots(tokenLora, static_cast<size_t>(tokens));
  std::vector<int32_t> counts(static_cast<size_t>(maxLoras), 0);
  *badTokens = 0;
  for (int32_t slot : slots)
    if (slot >= 0 && slot < maxLoras)
      ++counts[static_cast<size_t>(slot)];
    else if (slot != -1)
      ++*badTokens;
  api::RowBlockTables tables = api::rowBlockTables(maxTokens, maxLoras);
  auto *entries = static_cast<RowBlock *>(rowBlocks);
  std::fill_n(entries, tables.back(), RowBlock());
  api::writeRowBlocks(counts, tables, entries);
  api::listTokens(slots, counts, tokenIndices);
}
