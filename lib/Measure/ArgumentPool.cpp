//===- ArgumentPool.cpp - Sets of arguments to rotate over ----------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Measure/ArgumentPool.h"

#include "lora/Support/Error.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

using namespace lora;

/// E.g. "1.5 GiB".
static std::string gibibytes(size_t bytes) {
  std::array<char, 32> text = {};
  std::snprintf(text.data(), text.size(), "%.1f GiB", static_cast<double>(bytes) / (1 << 30));
  return text.data();
}

size_t lora::poolSets(size_t setBytes, const PoolLimits &limits) {
  size_t fitting = limits.bytes / std::max<size_t>(setBytes, 1);
  return std::max<size_t>(std::min(limits.sets, fitting), 2);
}

void ArgumentPool::requireMemory(const Device &device, size_t bytes, const std::string &what) {
  size_t free = device.memory().free;
  if (bytes > free)
    throw Error(what + " needs " + gibibytes(bytes) + " of device memory, found " +
                gibibytes(free) + " free: expected fewer sets or a smaller shape");
}

ArgumentPool::ArgumentPool(const Device &device, const std::vector<Item> &items, size_t sets)
    : buffers(sets) {
  for (const Item &item : items)
    bytesOfSet += item.bytes;
  requireMemory(device, bytesOfSet * sets, "a pool of " + std::to_string(sets) + " sets");
  for (auto &set : buffers)
    for (const Item &item : items)
      if (!set.emplace(item.name, DeviceBuffer(device, item.bytes)).second)
        throw Error("argument pool: the name '" + item.name + "' occurs twice");
}

DeviceBuffer &ArgumentPool::at(size_t set, std::string_view name) {
  return const_cast<DeviceBuffer &>(std::as_const(*this).at(set, name));
}

const DeviceBuffer &ArgumentPool::at(size_t set, std::string_view name) const {
  if (set >= buffers.size())
    throw Error("argument pool: set " + std::to_string(set) + ": expected below " +
                std::to_string(buffers.size()));
  auto found = buffers[set].find(name);
  if (found == buffers[set].end())
    throw Error("argument pool: found no buffer '" + std::string(name) + "'");
  return found->second;
}

void ArgumentPool::repeatFirst(std::string_view name, Stream &stream) {
  const DeviceBuffer &first = at(0, name);
  for (size_t set = 1; set < sets(); ++set)
    at(set, name).copy(0, first, 0, first.size(), stream);
}
