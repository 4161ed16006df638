//===- Context.h - What a lora_context holds ----------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "Dispatch.h"
#include "Session.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <vector>

/// Thread-safe.
struct lora_context {
public:
  explicit lora_context(const lora_context_options &options) : session(options) {}
  ~lora_context();

  const lora::api::Session session;

  /// Throws StatusError, with the reason, if the pack cannot be used.
  void addPack(lora::Pack pack);

  /// The table of now, which lives as long as the context.
  const lora::api::DispatchTable &table() const { return *current.load(std::memory_order_acquire); }

  struct Workspace {
    void *stream = nullptr;
    lora::api::DeviceMemory data, counters;
  };

  /// See lora_context_reserve.
  void reserve(void *stream, size_t dataBytes, size_t counterBytes);

  /// The addresses of the workspace of a stream. Throws StatusError if it is too small.
  std::pair<lora::cuda::DevicePointer, lora::cuda::DevicePointer>
  workspace(void *stream, uint64_t dataBytes, uint64_t counterBytes) const;

private:
  const Workspace *findWorkspace(void *stream) const;

  std::mutex packMutex;
  std::vector<std::unique_ptr<lora::api::LoadedPack>> packs;
  std::vector<std::unique_ptr<const lora::api::DispatchTable>> tables;
  std::atomic<const lora::api::DispatchTable *> current = &empty;
  static const lora::api::DispatchTable empty;

  std::mutex reserveMutex;
  mutable std::shared_mutex workspaceMutex;
  /// The last one of a stream is in use.
  std::vector<std::unique_ptr<const Workspace>> workspaces;
};

namespace lora::api {

/// Where the pack that is installed with the library is. Throws StatusError if that is unknown.
std::string installedPackPath();

} // namespace lora::api
