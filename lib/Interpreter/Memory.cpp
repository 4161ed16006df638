//===- Memory.cpp - The buffers that an interpreted kernel may touch ------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Interpreter/Memory.h"
#include "lora/Support/Error.h"

#include <algorithm>
#include <iterator>
#include <limits>

using namespace lora::interpreter;

void Memory::addBuffer(void *data, size_t bytes, std::string name, bool writable) {
  if (bytes == 0)
    return;
  if (!data)
    throw Error("buffer '" + name + "': expected an address, got null");
  const uint64_t address = reinterpret_cast<uint64_t>(data);
  auto next = buffers.upper_bound(address);
  const Buffer *clash = nullptr;
  if (next != buffers.end() && next->second.address - address < bytes)
    clash = &next->second;
  if (next != buffers.begin()) {
    const Buffer &previous = std::prev(next)->second;
    if (address - previous.address < previous.bytes)
      clash = &previous;
  }
  if (clash)
    throw Error("buffer '" + name + "' of " + std::to_string(bytes) + " bytes overlaps buffer '" +
                clash->name + "' of " + std::to_string(clash->bytes) +
                " bytes; expected separate buffers");
  buffers.emplace(address, Buffer{address, bytes, std::move(name), writable});
}

const Memory::Buffer *Memory::find(uint64_t address, uint64_t bytes) const {
  auto next = buffers.upper_bound(address);
  if (next == buffers.begin())
    return nullptr;
  const Buffer &buffer = std::prev(next)->second;
  const uint64_t offset = address - buffer.address;
  return offset < buffer.bytes && bytes <= buffer.bytes - offset ? &buffer : nullptr;
}

std::string Memory::describe(uint64_t address) const {
  auto next = buffers.upper_bound(address);
  const Buffer *before = next == buffers.begin() ? nullptr : &std::prev(next)->second;
  const Buffer *after = next == buffers.end() ? nullptr : &next->second;
  auto named = [](uint64_t distance, const char *relation, const Buffer &buffer) {
    return std::to_string(distance) + " bytes " + relation + " of buffer '" + buffer.name +
           "' of " + std::to_string(buffer.bytes) + " bytes";
  };
  constexpr uint64_t kNone = std::numeric_limits<uint64_t>::max();
  uint64_t toEnd = kNone;
  if (before) {
    const uint64_t offset = address - before->address;
    if (offset < before->bytes)
      return named(before->bytes - offset, "before the end", *before);
    toEnd = offset - before->bytes;
  }
  const uint64_t toStart = after ? after->address - address : kNone;
  if (before && toEnd <= toStart)
    return named(toEnd, "after the end", *before);
  if (after)
    return named(toStart, "before the start", *after);
  return "in no buffer: none is registered";
}
