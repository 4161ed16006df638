//===- Context.cpp - What a lora_context holds --------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Context.h"

#include <algorithm>
#include <dlfcn.h>
#include <filesystem>

using namespace lora;
using namespace lora::api;

const DispatchTable lora_context::empty;

lora_context::~lora_context() {
  cuda::Context popped;
  bool pushed = session.api.contextPush(session.context) == cuda::success;
  packs.clear();
  workspaces.clear();
  if (pushed)
    session.api.contextPop(&popped);
}

void lora_context::addPack(Pack pack) {
  auto loaded = std::make_unique<LoadedPack>(session, std::move(pack));
  std::lock_guard lock(packMutex);
  const DispatchTable &before = table();
  std::vector<DispatchRule> rules = loaded->rules;
  rules.insert(rules.end(), before.all().begin(), before.all().end());
  auto after = std::make_unique<DispatchTable>(
      std::move(rules), loaded->mapTokens ? loaded->mapTokens : before.mapTokens());
  packs.reserve(packs.size() + 1);
  tables.reserve(tables.size() + 1);
  if (isLogging())
    log(LORA_LOG_INFO, "loaded pack '" + loaded->pack.name() +
                           "': " + std::to_string(loaded->kernels.size()) + " kernels for " +
                           session.target);
  packs.push_back(std::move(loaded));
  tables.push_back(std::move(after));
  current.store(tables.back().get(), std::memory_order_release);
}

const lora_context::Workspace *lora_context::findWorkspace(void *stream) const {
  auto found = std::find_if(workspaces.rbegin(), workspaces.rend(),
                            [&](const auto &workspace) { return workspace->stream == stream; });
  return found == workspaces.rend() ? nullptr : found->get();
}

void lora_context::reserve(void *stream, size_t dataBytes, size_t counterBytes) {
  std::lock_guard reserving(reserveMutex);
  // Only this function adds workspaces, so reading them needs no other lock.
  const Workspace *before = findWorkspace(stream);
  if (before && before->data.size() >= dataBytes && before->counters.size() >= counterBytes)
    return;
  Current context(session);
  if (isCapturing(session, stream))
    throw StatusError(LORA_ERROR_CAPTURING, "stream: expected one that is not capturing");
  if (before) {
    dataBytes = std::max(dataBytes, before->data.size());
    counterBytes = std::max(counterBytes, before->counters.size());
  }
  auto added = std::make_unique<Workspace>();
  added->stream = stream;
  added->data = DeviceMemory(session, dataBytes);
  added->counters = DeviceMemory(session, counterBytes);
  session.check(session.api.fillBytes(added->counters.address(), 0, counterBytes, streamOf(stream)),
                "cuMemsetD8Async");
  std::unique_lock lock(workspaceMutex);
  workspaces.push_back(std::move(added));
}

std::pair<cuda::DevicePointer, cuda::DevicePointer>
lora_context::workspace(void *stream, uint64_t dataBytes, uint64_t counterBytes) const {
  std::shared_lock lock(workspaceMutex);
  const Workspace *found = findWorkspace(stream);
  if (!found || found->data.size() < dataBytes || found->counters.size() < counterBytes)
    throw StatusError(LORA_ERROR_NOT_RESERVED,
                      "stream: expected a workspace of " + std::to_string(dataBytes) +
                          " bytes and " + std::to_string(counterBytes) +
                          " bytes of counters, found " +
                          std::to_string(found ? found->data.size() : 0) + " and " +
                          std::to_string(found ? found->counters.size() : 0) +
                          ": call lora_context_reserve first");
  return {found->data.address(), found->counters.address()};
}

std::string api::installedPackPath() {
  Dl_info info = {};
  if (!dladdr(reinterpret_cast<const void *>(&installedPackPath), &info) || !info.dli_fname)
    throw StatusError(LORA_ERROR_BAD_PACK, "path: the place of the library is unknown: expected "
                                           "the path of a pack");
  return (std::filesystem::path(info.dli_fname).parent_path() / "lora-tile" / "default.pack")
      .string();
}
