//===- Mapping.cpp - What a lora_mapping holds --------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mapping.h"

#include <algorithm>
#include <new>

using namespace lora;
using namespace lora::api;

static constexpr int32_t kDefaultDepth = 8;

static int depthOf(int32_t asked) { return asked ? asked : kDefaultDepth; }

lora_mapping::lora_mapping(lora_context &context, const lora_mapping_options &options)
    : context(context), maxLoras(options.max_loras), maxTokens(options.max_tokens),
      tables(rowBlockTables(maxTokens, maxLoras)),
      staged(context.session, indicesOffset() + 4 * static_cast<size_t>(maxTokens),
             depthOf(options.staging_depth)),
      tokenRanks(context.session, 4 * static_cast<size_t>(maxTokens)),
      counts(static_cast<size_t>(maxLoras), 0) {
  staged.initialise([&](std::byte *memory) {
    new (memory) Header;
    std::fill_n(reinterpret_cast<RowBlock *>(memory + sizeof(Header)), tables.back(), RowBlock());
  });
  // Launches may be captured before the first update.
  staged.update(nullptr, [&](std::byte *) { return indicesOffset(); });
  context.session.check(context.session.api.streamSynchronize(nullptr), "cuStreamSynchronize");
}

void lora_mapping::checkTokens(const int32_t *tokenLora, int32_t tokens) const {
  checkRange("tokens", tokens, 0, maxTokens);
  if (tokens > 0)
    checkNotNull("token_lora", tokenLora);
}

void lora_mapping::countTokens(std::span<const int32_t> tokenLora) {
  std::fill(counts.begin(), counts.end(), 0);
  for (size_t token = 0; token < tokenLora.size(); ++token) {
    int32_t slot = tokenLora[token];
    if (slot < -1 || slot >= maxLoras)
      failArgument("token_lora[" + std::to_string(token) + "]",
                   "-1 to " + std::to_string(maxLoras - 1), std::to_string(slot));
    if (slot >= 0)
      ++counts[static_cast<size_t>(slot)];
  }
}

RowBlockUse lora_mapping::write(std::byte *memory, std::span<const int32_t> tokenLora) {
  auto &header = *reinterpret_cast<Header *>(memory);
  auto *entries = reinterpret_cast<RowBlock *>(memory + sizeof(Header));
  RowBlockUse use = writeRowBlocks(counts, tables, entries);
  for (size_t i = 0; i < tables.size() - 1; ++i) {
    RowBlock *table = entries + tables[i];
    if (use.entries[i] < header.used[i])
      std::fill(table + use.entries[i], table + header.used[i], RowBlock());
    header.used[i] = use.entries[i];
  }
  listTokens(tokenLora, counts, reinterpret_cast<int32_t *>(memory + indicesOffset()));
  return use;
}

void lora_mapping::setHost(const int32_t *tokenLora, int32_t tokens, void *stream) {
  checkTokens(tokenLora, tokens);
  std::span<const int32_t> slots(tokenLora, static_cast<size_t>(tokens));
  countTokens(slots);
  RowBlockUse use;
  Current current(context.session);
  staged.update(stream, [&](std::byte *memory) {
    use = write(memory, slots);
    return indicesOffset() + 4 * static_cast<size_t>(use.tokens);
  });
  count = tokens;
  known = use.adapters;
}

void lora_mapping::setDevice(const int32_t *tokenLora, int32_t tokens, void *stream) {
  checkTokens(tokenLora, tokens);
  Kernel *kernel = context.table().mapTokens();
  if (!kernel)
    throw StatusError(LORA_ERROR_NO_KERNEL,
                      "no loaded pack has a map_tokens kernel for " + context.session.target);
  Values values = {};
  values[Slot::TokenLora] = reinterpret_cast<int64_t>(tokenLora);
  values[Slot::TokenIndices] = static_cast<int64_t>(tokenIndices());
  values[Slot::TokenRanks] = static_cast<int64_t>(tokenRanks.address());
  values[Slot::RowBlocks] = static_cast<int64_t>(rowBlocks(0));
  values[Slot::BadTokens] = static_cast<int64_t>(staged.address());
  values[Slot::Tokens] = tokens;
  values[Slot::MaxTokens] = maxTokens;
  values[Slot::MaxLoras] = maxLoras;
  Plan plan = kernel->plan(values);
  Current current(context.session);
  kernel->launch(plan, values, 0, 0, false, stream);
  count = tokens;
  known = -1;
}

int32_t lora_mapping::countBadTokens(void *stream) {
  int32_t bad = 0;
  const Session &session = context.session;
  Current current(session);
  session.check(session.api.copyToHost(&bad, staged.address(), sizeof(bad), streamOf(stream)),
                "cuMemcpyDtoHAsync_v2");
  session.check(session.api.streamSynchronize(streamOf(stream)), "cuStreamSynchronize");
  return bad;
}
