//===- ArgumentPool.h - Sets of arguments to rotate over ------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "lora/Runtime/Driver.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace lora {

/// How many sets of arguments a measurement rotates over.
struct PoolLimits {
  /// At most so many, but at least two.
  size_t sets = 32;
  /// Bytes that they have together, unless two need more.
  size_t bytes = 2'000'000'000;
};

/// So many sets that a call finds nothing of its own in a cache: as many as the limits allow.
size_t poolSets(size_t setBytes, const PoolLimits &limits);

/// Sets of named buffers in device memory, all sets alike. Buffers are freed with the pool, and
/// with the last copy of their handles.
class ArgumentPool {
public:
  struct Item {
    std::string name;
    size_t bytes = 0;
  };

  /// Allocates without initialising. Throws Error that says how much memory is needed and free if
  /// there is too little, or if a name occurs twice.
  ArgumentPool(const Device &device, const std::vector<Item> &items, size_t sets);

  size_t sets() const { return buffers.size(); }
  /// Bytes of a set.
  size_t setBytes() const { return bytesOfSet; }

  /// Throws Error if there is no such set or name.
  DeviceBuffer &at(size_t set, std::string_view name);
  const DeviceBuffer &at(size_t set, std::string_view name) const;
  uint64_t address(size_t set, std::string_view name) const { return at(set, name).address(); }

  /// Copies a buffer of the first set to all others, in the order of the stream, without waiting.
  void repeatFirst(std::string_view name, Stream &stream);

  /// Throws Error that says how much memory is needed and free if the device has not `bytes` free.
  /// `what` begins the message, e.g. "a pool of 32 sets".
  static void requireMemory(const Device &device, size_t bytes, const std::string &what);

private:
  std::vector<std::map<std::string, DeviceBuffer, std::less<>>> buffers;
  size_t bytesOfSet = 0;
};

} // namespace lora
