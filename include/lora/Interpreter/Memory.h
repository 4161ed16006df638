//===- Memory.h - The buffers that an interpreted kernel may touch --------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace lora::interpreter {

/// The host buffers that an interpreted kernel may access. A kernel addresses them by their host
/// addresses, so that a table of pointers in one buffer may lead to another.
class Memory {
public:
  struct Buffer {
    uint64_t address;
    uint64_t bytes;
    std::string name;
    bool writable;
  };

  /// Registers `bytes` bytes at `data`, which stay the caller's and must outlive every access; a
  /// buffer of no bytes is ignored. `name` appears in messages. Throws lora::Error when `data` is
  /// null or the buffer overlaps another.
  void addBuffer(void *data, size_t bytes, std::string name, bool writable);

  /// The buffer that holds all of the `bytes` bytes at `address`, or null. Valid until the next
  /// addBuffer.
  const Buffer *find(uint64_t address, uint64_t bytes) const;

  /// Where an address lies relative to the nearest buffer, as in "2 bytes after the end of buffer
  /// 'x' of 64 bytes".
  std::string describe(uint64_t address) const;

private:
  std::map<uint64_t, Buffer> buffers;
};

} // namespace lora::interpreter
