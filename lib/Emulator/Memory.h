//===- Memory.h - Global and shared memory with their shadows -------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "ShadowMemory.h"
#include "lora/Emulator/Emulator.h"

#include "llvm/Support/Error.h"

#include <optional>
#include <vector>

namespace lora::emulator {

/// The bytes of an access, and their history. No line means that nothing is recorded, since nobody
/// may write the bytes.
struct Location {
  std::byte *data = nullptr;
  Line *line = nullptr;
  /// In the line.
  uint32_t offset = 0;
};

/// Every buffer that a launch may use. Thread-safe.
class GlobalMemory {
public:
  /// Fails when two buffers overlap, or one that nobody may write has no value.
  static llvm::Error check(llvm::ArrayRef<Buffer> buffers);
  explicit GlobalMemory(llvm::ArrayRef<Buffer> buffers);

  /// Finds `width` bytes. Throws Error when they are not inside one buffer, are not aligned to
  /// their width, or are to be written and may not be.
  Location find(uintptr_t address, uint32_t width, bool write);

private:
  struct Region {
    Buffer buffer;
    uintptr_t begin, end;
    std::unique_ptr<ShadowMap> shadow;
  };
  /// In the order of their addresses.
  std::vector<Region> regions;
};

/// The dynamic shared memory of one block at a time.
class SharedMemory {
public:
  explicit SharedMemory(uint32_t bytes);

  /// Forgets everything: the next block begins.
  void reset() { ++generation; }

  /// As GlobalMemory::find; `offset` is what a shared pointer holds.
  Location find(uintptr_t offset, uint32_t width);

private:
  struct Slot {
    uint32_t generation = 0;
    Line line;
  };
  uint32_t bytes;
  uint32_t generation = 0;
  std::unique_ptr<std::byte[]> data;
  std::unique_ptr<Slot[]> slots;
};

} // namespace lora::emulator
