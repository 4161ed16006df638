//===- Mapping.cpp - What a lora_mapping holds --------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mapping.h"

#include <algorithm>
#include <limits>

using namespace lora;
using namespace lora::api;

static constexpr int32_t kDefaultDepth = 8;

static size_t bytesOf(const lora_mapping_options &options) {
  return 4 *
         (3 * static_cast<size_t>(options.max_loras) + 5 + static_cast<size_t>(options.max_tokens));
}

static int depthOf(int32_t asked) { return asked ? asked : kDefaultDepth; }

lora_mapping::lora_mapping(lora_context &context, const lora_mapping_options &options)
    : context(context), maxLoras(options.max_loras), maxTokens(options.max_tokens),
      staged(context.session, bytesOf(options), depthOf(options.staging_depth)),
      scratch(static_cast<size_t>(options.max_loras), 0), used(ownBuffers()) {}

lora_mapping::Buffers lora_mapping::ownBuffers() const {
  size_t planes = static_cast<size_t>(maxLoras) + 1;
  return {staged.address() + 4 * indicesOffset(), staged.address(), staged.address() + 4 * planes,
          staged.address() + 4 * (2 * planes + 1)};
}

void lora_mapping::checkTokens(int32_t tokens) const { checkRange("tokens", tokens, 0, maxTokens); }

void lora_mapping::setHost(const int32_t *tokenLora, int32_t tokens, void *stream) {
  checkTokens(tokens);
  if (tokens > 0)
    checkNotNull("token_lora", tokenLora);
  std::fill(scratch.begin(), scratch.end(), 0);
  for (int32_t token = 0; token < tokens; ++token) {
    int32_t slot = tokenLora[token];
    if (slot < -1 || slot >= maxLoras)
      failArgument("token_lora[" + std::to_string(token) + "]",
                   "-1 to " + std::to_string(maxLoras - 1), std::to_string(slot));
    if (slot >= 0)
      ++scratch[static_cast<size_t>(slot)];
  }

  int32_t active = 0;
  Current current(context.session);
  staged.update(stream, [&](std::byte *memory) {
    // Tokens without an adapter are listed nowhere, so that no block of a launch is theirs.
    auto *counts = reinterpret_cast<int32_t *>(memory);
    int32_t *starts = counts + maxLoras + 1, *ids = starts + maxLoras + 2;
    int32_t *indices = counts + indicesOffset();
    int32_t start = 0;
    for (int32_t slot = 0; slot < maxLoras; ++slot) {
      int32_t inSlot = std::exchange(scratch[static_cast<size_t>(slot)], start);
      if (inSlot == 0)
        continue;
      ids[active] = slot;
      counts[active] = inSlot;
      starts[active++] = start;
      start += inSlot;
    }
    std::fill(ids + active, ids + maxLoras + 1, -1);
    std::fill(counts + active, counts + maxLoras + 1, 0);
    std::fill(starts + active, starts + maxLoras + 2, start);
    counts[badTokensOffset()] = 0;
    for (int32_t token = 0; token < tokens; ++token)
      if (tokenLora[token] >= 0)
        indices[scratch[static_cast<size_t>(tokenLora[token])]++] = token;
    return 4 * (indicesOffset() + static_cast<size_t>(start));
  });
  used = ownBuffers();
  count = tokens;
  known = active;
  foreign = false;
}

void lora_mapping::setDevice(const int32_t *tokenLora, int32_t tokens, void *stream) {
  checkTokens(tokens);
  if (tokens > 0)
    checkNotNull("token_lora", tokenLora);
  Kernel *kernel = context.table().mapTokens;
  if (!kernel)
    throw StatusError(LORA_ERROR_NO_KERNEL,
                      "no loaded pack has a map_tokens kernel for " + context.session.target);
  Buffers own = ownBuffers();
  Values values = {};
  values[Slot::TokenLora] = reinterpret_cast<int64_t>(tokenLora);
  values[Slot::TokenIndices] = static_cast<int64_t>(own.indices);
  values[Slot::TokensPerLora] = static_cast<int64_t>(own.counts);
  values[Slot::StartLoc] = static_cast<int64_t>(own.starts);
  values[Slot::ActiveIds] = static_cast<int64_t>(own.ids);
  values[Slot::BadTokens] = static_cast<int64_t>(staged.address() + 4 * badTokensOffset());
  values[Slot::Tokens] = tokens;
  values[Slot::MaxLoras] = maxLoras;
  Plan plan = kernel->plan(values, 1);
  Current current(context.session);
  kernel->launch(plan, values, 0, 0, false, stream);
  used = own;
  count = tokens;
  known = -1;
  foreign = false;
}

void lora_mapping::setV1(const lora_v1_mapping &buffers) {
  checkRange("buffers.tokens", buffers.tokens, 0, std::numeric_limits<int32_t>::max());
  checkNotNull("buffers.token_indices_sorted_by_lora_ids",
               buffers.token_indices_sorted_by_lora_ids);
  checkNotNull("buffers.num_tokens_per_lora", buffers.num_tokens_per_lora);
  checkNotNull("buffers.lora_token_start_loc", buffers.lora_token_start_loc);
  checkNotNull("buffers.active_lora_ids", buffers.active_lora_ids);
  auto address = [](const int32_t *pointer) {
    return reinterpret_cast<cuda::DevicePointer>(pointer);
  };
  used = {address(buffers.token_indices_sorted_by_lora_ids), address(buffers.num_tokens_per_lora),
          address(buffers.lora_token_start_loc), address(buffers.active_lora_ids)};
  count = buffers.tokens;
  known = -1;
  foreign = true;
}

int32_t lora_mapping::countBadTokens(void *stream) {
  int32_t bad = 0;
  const Session &session = context.session;
  Current current(session);
  session.check(session.api.copyToHost(&bad, staged.address() + 4 * badTokensOffset(), sizeof(bad),
                                       streamOf(stream)),
                "cuMemcpyDtoHAsync_v2");
  session.check(session.api.streamSynchronize(streamOf(stream)), "cuStreamSynchronize");
  return bad;
}
