//===- CpAsync.cpp - Asynchronous copies ----------------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Operations.h"

#include <cstring>
#include <optional>

namespace lora::emulator {

void cpAsync(Thread &thread, uint32_t op, uintptr_t destination, uintptr_t source, bool predicate) {
  Block &block = *thread.block;
  const uint32_t bytes = block.ops()[op].bytes;
  const Location to = block.shared.find(destination, bytes);
  to.line->startCopyTo(thread, op, to.offset, bytes);
  PendingCopy copy{static_cast<uint32_t>(destination), nullptr, op, thread.copyGroup};
  if (predicate) {
    const Location from = block.launch.memory.find(source, bytes, /*write=*/false);
    if (from.line) {
      Line::Lock lock(*from.line);
      from.line->startCopyFrom(thread, op, from.offset, bytes);
    }
    copy.source = from.data;
  }
  thread.copies.push_back(copy);
}

void cpAsyncCommit(Thread &thread) { ++thread.copyGroup; }

static void land(Thread &thread, const PendingCopy &copy) {
  Block &block = *thread.block;
  const uint32_t bytes = block.ops()[copy.op].bytes;
  const Location to = block.shared.find(copy.destination, bytes);
  to.line->finishCopyTo(thread, copy.op, to.offset, bytes);
  if (!copy.source) {
    std::memset(to.data, 0, bytes);
    return;
  }
  const Location from = block.launch.memory.find(reinterpret_cast<uintptr_t>(copy.source), bytes,
                                                 /*write=*/false);
  std::optional<Line::Lock> lock;
  if (from.line) {
    lock.emplace(*from.line);
    from.line->finishCopyFrom(thread, copy.op, from.offset, bytes);
  }
  std::memcpy(to.data, from.data, bytes);
}

void cpAsyncWait(Thread &thread, uint32_t op) {
  const uint32_t pending = thread.block->ops()[op].pending;
  auto covered = [&](const PendingCopy &copy) { return copy.group + pending < thread.copyGroup; };
  auto landed = thread.copies.begin();
  for (; landed != thread.copies.end() && covered(*landed); ++landed)
    land(thread, *landed);
  thread.copies.erase(thread.copies.begin(), landed);
}

} // namespace lora::emulator
