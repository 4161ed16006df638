//===- runtime.hpp - RAII over the C interface --------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "lora/runtime.h"

#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>

namespace lora {

/// A status other than LORA_SUCCESS, with its message.
class RuntimeError : public std::runtime_error {
public:
  RuntimeError(lora_status status, const char *message)
      : std::runtime_error(message), status(status) {}

  const lora_status status;
};

/// Throws RuntimeError for what the last call in this thread returned, unless it succeeded.
inline void check(lora_status status) {
  if (status != LORA_SUCCESS)
    throw RuntimeError(status, lora_last_error());
}

/// A structure of runtime.h with its size set and all else zero.
template <typename Struct> Struct sized() {
  Struct result = {};
  result.size = sizeof(Struct);
  return result;
}

/// Owns a lora_context. Everything made from it must be destroyed before.
class RuntimeContext {
public:
  /// The CUDA context that is current in this thread.
  RuntimeContext() { init(nullptr); }
  explicit RuntimeContext(const lora_context_options &options) { init(&options); }

  /// Without a path, the pack that is installed with the library.
  void loadPack(const char *path = nullptr) { check(lora_context_load_pack(get(), path)); }
  void reserve(void *stream, size_t dataBytes, size_t counterBytes) {
    check(lora_context_reserve(get(), stream, dataBytes, counterBytes));
  }

  void shrink(const lora_launch &launch) { check(lora_shrink(get(), &launch)); }
  void expand(const lora_launch &launch) { check(lora_expand(get(), &launch)); }
  void shrinkExpand(const lora_launch &launch) { check(lora_shrink_expand(get(), &launch)); }
  void prepare(lora_op op, const lora_launch &launch) { check(lora_prepare(get(), op, &launch)); }

  std::string explain(lora_op op, const lora_launch &launch) {
    size_t needed = 0;
    check(lora_explain(get(), op, &launch, nullptr, 0, &needed));
    std::string text(needed, '\0');
    check(lora_explain(get(), op, &launch, text.data(), text.size(), nullptr));
    text.pop_back();
    return text;
  }

  std::string target() const { return lora_context_target(context.get()); }
  lora_context *get() { return context.get(); }

private:
  struct Destroy {
    void operator()(lora_context *context) const { lora_context_destroy(context); }
  };

  void init(const lora_context_options *options) {
    lora_context *created = nullptr;
    check(lora_context_create(options, &created));
    context.reset(created);
  }

  std::unique_ptr<lora_context, Destroy> context;
};

/// Owns a lora_mapping.
class TokenMapping {
public:
  TokenMapping(RuntimeContext &context, const lora_mapping_options &options) {
    lora_mapping *created = nullptr;
    check(lora_mapping_create(context.get(), &options, &created));
    mapping.reset(created);
  }

  void setHost(std::span<const int32_t> tokenLora, void *stream) {
    check(lora_mapping_set_host(get(), tokenLora.data(), static_cast<int32_t>(tokenLora.size()),
                                stream));
  }
  /// `tokenLora` is device memory.
  void setDevice(const int32_t *tokenLora, int32_t tokens, void *stream) {
    check(lora_mapping_set_device(get(), tokenLora, tokens, stream));
  }
  void setV1(const lora_v1_mapping &buffers, void *stream) {
    check(lora_mapping_set_v1(get(), &buffers, stream));
  }

  lora_mapping *get() { return mapping.get(); }

private:
  struct Destroy {
    void operator()(lora_mapping *mapping) const { lora_mapping_destroy(mapping); }
  };

  std::unique_ptr<lora_mapping, Destroy> mapping;
};

/// Owns a lora_adapters.
class AdapterSlots {
public:
  AdapterSlots(RuntimeContext &context, const lora_adapters_options &options, void *stream) {
    lora_adapters *created = nullptr;
    check(lora_adapters_create(context.get(), &options, stream, &created));
    adapters.reset(created);
  }

  void set(int32_t slot, const lora_adapter &adapter, void *stream) {
    check(lora_adapters_set(get(), slot, &adapter, stream));
  }
  void clear(int32_t slot, void *stream) { check(lora_adapters_set(get(), slot, nullptr, stream)); }

  lora_adapters *get() { return adapters.get(); }

private:
  struct Destroy {
    void operator()(lora_adapters *adapters) const { lora_adapters_destroy(adapters); }
  };

  std::unique_ptr<lora_adapters, Destroy> adapters;
};

} // namespace lora
