//===- Memory.cpp - Global and shared memory with their shadows -----------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Memory.h"

#include "lora/Support/Error.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace lora::emulator {

static std::vector<Buffer> sortedByAddress(llvm::ArrayRef<Buffer> buffers) {
  std::vector<Buffer> sorted(buffers.begin(), buffers.end());
  llvm::erase_if(sorted, [](const Buffer &buffer) { return buffer.size == 0; });
  llvm::sort(sorted, [](const Buffer &a, const Buffer &b) { return a.data < b.data; });
  return sorted;
}

llvm::Error GlobalMemory::check(llvm::ArrayRef<Buffer> buffers) {
  std::vector<Buffer> sorted = sortedByAddress(buffers);
  for (size_t i = 0; i < sorted.size(); ++i) {
    const Buffer &buffer = sorted[i];
    if (!buffer.initialised && !buffer.writable)
      return llvm::createStringError("buffer '" + buffer.name +
                                     "' has no value and nobody may write it");
    if (i > 0 && static_cast<std::byte *>(sorted[i - 1].data) + sorted[i - 1].size > buffer.data)
      return llvm::createStringError("buffers '" + sorted[i - 1].name + "' and '" + buffer.name +
                                     "' overlap");
  }
  return llvm::Error::success();
}

GlobalMemory::GlobalMemory(llvm::ArrayRef<Buffer> buffers) {
  for (Buffer &buffer : sortedByAddress(buffers)) {
    const auto begin = reinterpret_cast<uintptr_t>(buffer.data);
    const uintptr_t end = begin + buffer.size;
    std::unique_ptr<ShadowMap> shadow;
    if (buffer.writable) {
      const size_t lines = (end - 1) / Line::size - begin / Line::size + 1;
      shadow = std::make_unique<ShadowMap>(lines, buffer.initialised);
    }
    regions.push_back({std::move(buffer), begin, end, std::move(shadow)});
  }
}

/// What an access outside every buffer is nearest to.
static std::string describeOutside(uintptr_t address, uint32_t width, const Buffer *before) {
  std::string text = llvm::formatv("{0} bytes at {1:x} are outside every buffer", width, address);
  if (before) {
    const uintptr_t offset = address - reinterpret_cast<uintptr_t>(before->data);
    text += llvm::formatv(": byte {0} of '{1}', which has {2} bytes", offset, before->name,
                          before->size);
  }
  return text;
}

static void checkAlignment(uintptr_t address, uint32_t width) {
  if (address & (width - 1))
    throw Error(llvm::formatv("misaligned: an access of {0} bytes at {1:x}, which is not a "
                              "multiple of {0}",
                              width, address));
}

Location GlobalMemory::find(uintptr_t address, uint32_t width, bool write) {
  auto next =
      llvm::partition_point(regions, [&](const Region &region) { return region.begin <= address; });
  Region *region = next == regions.begin() ? nullptr : &*std::prev(next);
  if (!region || address + width > region->end || address + width < address)
    throw Error(describeOutside(address, width, region ? &region->buffer : nullptr));
  checkAlignment(address, width);
  if (write && !region->buffer.writable)
    throw Error("writes to '" + region->buffer.name + "', which is read-only");
  Location location;
  location.data = static_cast<std::byte *>(region->buffer.data) + (address - region->begin);
  location.offset = address % Line::size;
  if (region->shadow)
    location.line = &region->shadow->line(address / Line::size - region->begin / Line::size);
  return location;
}

SharedMemory::SharedMemory(uint32_t bytes)
    : bytes(bytes), data(std::make_unique<std::byte[]>(bytes)),
      slots(std::make_unique<Slot[]>((bytes + Line::size - 1) / Line::size)) {}

Location SharedMemory::find(uintptr_t offset, uint32_t width) {
  if (offset + width > bytes || offset + width < offset)
    throw Error(llvm::formatv("{0} bytes at byte {1} of shared memory, which has {2} bytes", width,
                              static_cast<intptr_t>(offset), bytes));
  checkAlignment(offset, width);
  Slot &slot = slots[offset / Line::size];
  if (slot.generation != generation) {
    slot.generation = generation;
    slot.line.reset(/*initialised=*/false);
  }
  return {&data[offset], &slot.line, static_cast<uint32_t>(offset % Line::size)};
}

} // namespace lora::emulator
