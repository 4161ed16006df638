//===- Staging.cpp - Host to device without waiting ---------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Staging.h"

using namespace lora;
using namespace lora::api;

StagedBuffer::StagedBuffer(const Session &session, size_t size, int depth)
    : session(session), device(session, size), ring(static_cast<size_t>(depth)) {
  try {
    for (Buffer &buffer : ring) {
      void *host = nullptr;
      session.check(session.api.hostAllocate(&host, size, 0), "cuMemHostAlloc");
      buffer.host = static_cast<std::byte *>(host);
      session.check(session.api.eventCreate(&buffer.copied, cuda::eventDisableTiming),
                    "cuEventCreate");
    }
  } catch (...) {
    release();
    throw;
  }
}

StagedBuffer::~StagedBuffer() {
  cuda::Context popped;
  bool pushed = session.api.contextPush(session.context) == cuda::success;
  release();
  if (pushed)
    session.api.contextPop(&popped);
}

void StagedBuffer::release() {
  for (Buffer &buffer : ring) {
    if (buffer.copied) {
      session.api.eventSynchronize(buffer.copied);
      session.api.eventDestroy(buffer.copied);
    }
    if (buffer.host)
      session.api.hostFree(buffer.host);
  }
}

StagedBuffer::Buffer &StagedBuffer::acquire(void *stream) {
  if (isCapturing(session, stream))
    throw StatusError(LORA_ERROR_CAPTURING,
                      "stream: expected one that is not capturing: a graph would copy whatever the "
                      "staging memory holds at replay");
  Buffer &buffer = ring[next];
  cuda::Result result = session.api.eventQuery(buffer.copied);
  if (result == cuda::errorNotReady)
    throw StatusError(LORA_ERROR_BUSY, "staging_depth = " + std::to_string(ring.size()) +
                                           " updates are still on their way to the device: wait "
                                           "for the stream, or create this with more");
  session.check(result, "cuEventQuery");
  return buffer;
}

void StagedBuffer::submit(Buffer &buffer, size_t bytes, void *stream) {
  session.check(session.api.copyToDevice(address(), buffer.host, bytes, streamOf(stream)),
                "cuMemcpyHtoDAsync_v2");
  next = (next + 1) % ring.size();
  session.check(session.api.eventRecord(buffer.copied, streamOf(stream)), "cuEventRecord");
}
