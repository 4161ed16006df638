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

/// Named memory of the host, aligned to 256 bytes as device memory is.
class HostBuffer {
public:
  /// The alignment in bytes.
  static constexpr size_t alignment = 256;

  /// New memory. Every byte starts as 0xff, which makes a NaN of each floating-point type.
  HostBuffer(std::string name, size_t size);

  /// Memory that somebody else owns, who keeps it for as long as this is used. Throws Error if it
  /// is not aligned.
  HostBuffer(std::string name, std::span<std::byte> shared);

  const std::string &name() const { return label; }
  std::span<std::byte> bytes() { return memory; }
  std::span<const std::byte> bytes() const { return memory; }
  template <typename T> T *as() { return reinterpret_cast<T *>(memory.data()); }
  template <typename T> const T *as() const { return reinterpret_cast<const T *>(memory.data()); }

  /// Whether somebody else owns the memory.
  bool isShared() const { return !owned; }

private:
  struct Free {
    void operator()(std::byte *memory) const;
  };

  std::string label;
  std::unique_ptr<std::byte[], Free> owned;
  std::span<std::byte> memory;
};

} // namespace lora
