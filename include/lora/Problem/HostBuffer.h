//===- HostBuffer.h - Aligned memory of the host ------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace lora {

/// Named memory of the host, aligned to 256 bytes as device memory is. Every byte starts as 0xff,
/// which makes a NaN of each floating-point type.
class HostBuffer {
public:
  HostBuffer(std::string name, size_t size);

  const std::string &name() const { return label; }
  std::span<std::byte> bytes() { return {memory.get(), size}; }
  std::span<const std::byte> bytes() const { return {memory.get(), size}; }
  template <typename T> T *as() { return reinterpret_cast<T *>(memory.get()); }
  template <typename T> const T *as() const { return reinterpret_cast<const T *>(memory.get()); }

private:
  struct Free {
    void operator()(std::byte *memory) const;
  };

  std::string label;
  size_t size;
  std::unique_ptr<std::byte[], Free> memory;
};

} // namespace lora
