//===- Staging.h - Host to device without waiting -----------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "Session.h"

#include <cstddef>
#include <vector>

namespace lora::api {

/// A device buffer that the host updates in stream order, through a ring of pinned buffers that are
/// each reused once the copy from them is done. Not thread-safe.
class StagedBuffer {
public:
  /// The context must be current.
  StagedBuffer(const Session &session, size_t size, int depth);
  ~StagedBuffer();
  StagedBuffer(const StagedBuffer &) = delete;
  StagedBuffer &operator=(const StagedBuffer &) = delete;

  cuda::DevicePointer address() const { return device.address(); }

  /// Calls `write` with the memory of each pinned buffer, before the first update.
  template <typename Write> void initialise(Write write) {
    for (Buffer &buffer : ring)
      write(buffer.host);
  }

  /// Calls `write` with pinned memory of size() bytes, which holds what was written when it was
  /// last used, and of which it returns how many to copy from the beginning. Throws StatusError if
  /// the stream is capturing, all buffers are in use, or a driver call fails.
  template <typename Write> void update(void *stream, Write write) {
    Buffer &buffer = acquire(stream);
    submit(buffer, write(buffer.host), stream);
  }

private:
  struct Buffer {
    std::byte *host = nullptr;
    cuda::EventHandle copied = nullptr;
  };

  void release();
  /// The next buffer, whose last copy is done.
  Buffer &acquire(void *stream);
  void submit(Buffer &buffer, size_t bytes, void *stream);

  const Session &session;
  DeviceMemory device;
  std::vector<Buffer> ring;
  size_t next = 0;
};

} // namespace lora::api
