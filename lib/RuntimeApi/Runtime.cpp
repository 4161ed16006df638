//===- Runtime.cpp - The functions of runtime.h -------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Adapters.h"
#include "Context.h"
#include "Launch.h"
#include "Mapping.h"
#include "Status.h"

#include <algorithm>
#include <cstring>
#include <limits>

using namespace lora;
using namespace lora::api;

static constexpr int32_t kMaxStagingDepth = 1024;

static lora_status runOp(const char *function, lora_context *context, lora_op op,
                         const lora_launch *launch) noexcept {
  return guarded(function, [&] {
    checkNotNull("context", context);
    runLaunch(*context, prepareLaunch(*context, op, launch));
  });
}

uint32_t lora_abi_version(void) { return LORA_ABI_VERSION; }

const char *lora_version(void) { return LORA_VERSION; }

const char *lora_status_name(lora_status status) {
  switch (status) {
#define LORA_STATUS_CASE(name)                                                                     \
  case name:                                                                                       \
    return #name;
    LORA_STATUS_CASE(LORA_SUCCESS)
    LORA_STATUS_CASE(LORA_ERROR_INVALID_ARGUMENT)
    LORA_STATUS_CASE(LORA_ERROR_NO_DRIVER)
    LORA_STATUS_CASE(LORA_ERROR_DRIVER)
    LORA_STATUS_CASE(LORA_ERROR_OUT_OF_MEMORY)
    LORA_STATUS_CASE(LORA_ERROR_BAD_PACK)
    LORA_STATUS_CASE(LORA_ERROR_NO_KERNEL)
    LORA_STATUS_CASE(LORA_ERROR_NOT_RESERVED)
    LORA_STATUS_CASE(LORA_ERROR_BUSY)
    LORA_STATUS_CASE(LORA_ERROR_CAPTURING)
    LORA_STATUS_CASE(LORA_ERROR_INTERNAL)
#undef LORA_STATUS_CASE
  default:
    return "unknown status";
  }
}

const char *lora_last_error(void) { return lastMessage(); }

void lora_set_log_callback(lora_log_callback callback, void *user) { setLog(callback, user); }

lora_status lora_context_create(const lora_context_options *options, lora_context **context) {
  return guarded(__func__, [&] {
    checkNotNull("context", context);
    lora_context_options read = {};
    if (options)
      read = readStruct("options", options);
    else
      read.device = -1;
    *context = new lora_context(read);
    if (isLogging())
      log(LORA_LOG_INFO, "created a context for " + (*context)->session.target);
  });
}

void lora_context_destroy(lora_context *context) { delete context; }

const char *lora_context_target(const lora_context *context) {
  return context ? context->session.target.c_str() : nullptr;
}

/// Opens a pack, adds it, and turns an Error of the pack into a status.
template <typename Open> static void loadPack(lora_context *context, Open open) {
  checkNotNull("context", context);
  try {
    context->addPack(open());
  } catch (const StatusError &) {
    throw;
  } catch (const Error &error) {
    throw StatusError(LORA_ERROR_BAD_PACK, error.what());
  }
}

lora_status lora_context_load_pack(lora_context *context, const char *path) {
  return guarded(__func__, [&] {
    loadPack(context, [&] { return Pack::open(path ? path : installedPackPath()); });
  });
}

lora_status lora_context_load_pack_memory(lora_context *context, const void *data, size_t size) {
  return guarded(__func__, [&] {
    checkNotNull("data", data);
    auto bytes = std::span(static_cast<const std::byte *>(data), size);
    loadPack(context, [&] { return Pack::fromMemory(bytes, "memory"); });
  });
}

lora_status lora_context_reserve(lora_context *context, void *stream, size_t data_bytes,
                                 size_t counter_bytes) {
  return guarded(__func__, [&] {
    checkNotNull("context", context);
    context->reserve(stream, data_bytes, counter_bytes);
  });
}

lora_status lora_mapping_create(lora_context *context, const lora_mapping_options *options,
                                lora_mapping **mapping) {
  return guarded(__func__, [&] {
    checkNotNull("context", context);
    checkNotNull("mapping", mapping);
    lora_mapping_options read = readStruct("options", options);
    checkRange("options.max_tokens", read.max_tokens, 1, std::numeric_limits<int32_t>::max());
    checkRange("options.max_loras", read.max_loras, 1, 65534);
    checkRange("options.staging_depth", read.staging_depth, 0, kMaxStagingDepth);
    Current current(context->session);
    *mapping = new lora_mapping(*context, read);
  });
}

void lora_mapping_destroy(lora_mapping *mapping) { delete mapping; }

lora_status lora_mapping_set_host(lora_mapping *mapping, const int32_t *token_lora, int32_t tokens,
                                  void *stream) {
  return guarded(__func__, [&] {
    checkNotNull("mapping", mapping);
    mapping->setHost(token_lora, tokens, stream);
  });
}

lora_status lora_mapping_set_device(lora_mapping *mapping, const int32_t *token_lora,
                                    int32_t tokens, void *stream) {
  return guarded(__func__, [&] {
    checkNotNull("mapping", mapping);
    mapping->setDevice(token_lora, tokens, stream);
  });
}

lora_status lora_mapping_set_v1(lora_mapping *mapping, const lora_v1_mapping *buffers,
                                void *stream) {
  return guarded(__func__, [&] {
    checkNotNull("mapping", mapping);
    lora_v1_mapping read = readStruct("buffers", buffers);
    checkNotNull("buffers.token_lora_mapping", read.token_lora_mapping);
    mapping->setDevice(read.token_lora_mapping, read.tokens, stream);
  });
}

lora_status lora_mapping_check(lora_mapping *mapping, void *stream, int32_t *bad_tokens) {
  return guarded(__func__, [&] {
    checkNotNull("mapping", mapping);
    checkNotNull("bad_tokens", bad_tokens);
    *bad_tokens = mapping->countBadTokens(stream);
  });
}

lora_status lora_adapters_create(lora_context *context, const lora_adapters_options *options,
                                 void *stream, lora_adapters **adapters) {
  return guarded(__func__, [&] {
    checkNotNull("context", context);
    checkNotNull("adapters", adapters);
    lora_adapters_options complete = lora_adapters::complete(readStruct("options", options));
    Current current(context->session);
    *adapters = new lora_adapters(*context, complete, stream);
  });
}

void lora_adapters_destroy(lora_adapters *adapters) { delete adapters; }

lora_status lora_adapters_set(lora_adapters *adapters, int32_t slot, const lora_adapter *adapter,
                              void *stream) {
  return guarded(__func__, [&] {
    checkNotNull("adapters", adapters);
    adapters->set(slot, adapter, stream);
  });
}

lora_status lora_adapters_set_stacked(lora_adapters *adapters, const void *const *a,
                                      int64_t a_slot_stride, const void *const *b,
                                      int64_t b_slot_stride, const int32_t *ranks,
                                      const float *scalings, void *stream) {
  return guarded(__func__, [&] {
    checkNotNull("adapters", adapters);
    adapters->setStacked(a, a_slot_stride, b, b_slot_stride, ranks, scalings, stream);
  });
}

lora_status lora_shrink(lora_context *context, const lora_launch *launch) {
  return runOp(__func__, context, LORA_SHRINK, launch);
}

lora_status lora_expand(lora_context *context, const lora_launch *launch) {
  return runOp(__func__, context, LORA_EXPAND, launch);
}

lora_status lora_shrink_expand(lora_context *context, const lora_launch *launch) {
  return runOp(__func__, context, LORA_SHRINK_EXPAND, launch);
}

lora_status lora_prepare(lora_context *context, lora_op op, const lora_launch *launch) {
  return guarded(__func__, [&] {
    checkNotNull("context", context);
    PreparedLaunch prepared = prepareLaunch(*context, op, launch);
    Current current(context->session);
    for (int i = 0; i < prepared.count; ++i)
      prepared.parts[i].rule->kernel->load();
  });
}

lora_status lora_workspace_size(lora_context *context, lora_op op, const lora_launch *launch,
                                size_t *data_bytes, size_t *counter_bytes) {
  return guarded(__func__, [&] {
    checkNotNull("context", context);
    checkNotNull("data_bytes", data_bytes);
    checkNotNull("counter_bytes", counter_bytes);
    PreparedLaunch prepared = prepareLaunch(*context, op, launch);
    *data_bytes = *counter_bytes = 0;
    for (int i = 0; i < prepared.count; ++i) {
      *data_bytes = std::max<size_t>(*data_bytes, prepared.parts[i].plan.workspaceBytes);
      *counter_bytes = std::max<size_t>(*counter_bytes, prepared.parts[i].plan.counterBytes);
    }
  });
}

lora_status lora_explain(lora_context *context, lora_op op, const lora_launch *launch, char *text,
                         size_t capacity, size_t *needed) {
  return guarded(__func__, [&] {
    checkNotNull("context", context);
    if (capacity > 0)
      checkNotNull("text", text);
    std::string whole = explainLaunch(*context, op, launch);
    if (needed)
      *needed = whole.size() + 1;
    if (capacity == 0)
      return;
    size_t copied = std::min(whole.size(), capacity - 1);
    std::memcpy(text, whole.data(), copied);
    text[copied] = '\0';
  });
}
