//===- Session.h - A driver and one of its contexts ---------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "CudaApi.h"
#include "Status.h"

#include <string>

namespace lora::api {

/// The driver and the CUDA context that a lora_context works in.
class Session {
public:
  explicit Session(const lora_context_options &options);
  ~Session();
  Session(const Session &) = delete;
  Session &operator=(const Session &) = delete;

  /// Throws StatusError, naming the call, unless `result` is success.
  void check(cuda::Result result, const char *call) const;

  cuda::Api api;
  cuda::Context context = nullptr;
  cuda::DeviceId device = 0;
  /// E.g. 90; 0 is the emulator.
  int capability = 0;
  /// What a block may have, of dynamic and static shared memory together.
  int maxSharedBytes = 0;
  /// E.g. "sm_90", or "emulator".
  std::string target;

private:
  void findContext(const lora_context_options &options);

  bool retained = false;
};

/// Makes the context of a session current in this thread until the end of the scope.
class Current {
public:
  explicit Current(const Session &session) : session(session) {
    cuda::Context current = nullptr;
    session.check(session.api.contextGetCurrent(&current), "cuCtxGetCurrent");
    if (current == session.context)
      return;
    session.check(session.api.contextPush(session.context), "cuCtxPushCurrent_v2");
    pushed = true;
  }
  ~Current() {
    cuda::Context popped;
    if (pushed)
      session.api.contextPop(&popped);
  }
  Current(const Current &) = delete;
  Current &operator=(const Current &) = delete;

private:
  const Session &session;
  bool pushed = false;
};

/// Device memory of a session; must not outlive it.
class DeviceMemory {
public:
  DeviceMemory() = default;
  /// The context must be current.
  DeviceMemory(const Session &session, size_t size);
  DeviceMemory(DeviceMemory &&other) noexcept { swap(other); }
  DeviceMemory &operator=(DeviceMemory &&other) noexcept {
    swap(other);
    return *this;
  }
  ~DeviceMemory();

  cuda::DevicePointer address() const { return start; }
  size_t size() const { return bytes; }

private:
  void swap(DeviceMemory &other) noexcept {
    std::swap(session, other.session);
    std::swap(start, other.start);
    std::swap(bytes, other.bytes);
  }

  const Session *session = nullptr;
  cuda::DevicePointer start = 0;
  size_t bytes = 0;
};

inline cuda::StreamHandle streamOf(void *stream) { return static_cast<cuda::StreamHandle>(stream); }

/// Whether work given to the stream becomes part of a graph.
bool isCapturing(const Session &session, void *stream);

} // namespace lora::api
