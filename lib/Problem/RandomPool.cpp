//===- RandomPool.cpp - Random values that problems share -----------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Problem/RandomPool.h"

#include "Parallel.h"
#include "Random.h"
#include "lora/Support/Error.h"

#include <algorithm>
#include <utility>

using namespace lora;

RandomPool::RandomPool(std::span<const DType> types, int64_t activations, int64_t weights,
                       uint64_t seed)
    : types(types.begin(), types.end()) {
  for (Kind kind : {Kind::Activations, Kind::Weights}) {
    int64_t elements = kind == Kind::Activations ? activations : weights;
    for (DType type : types) {
      uint64_t bufferSeed = randomBits(seed, memory.size());
      HostBuffer &buffer = memory.emplace_back("pool", size_t(elements) * byteSize(type));
      parallelChunks(size_t(elements), [&](size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i)
          storeElement(type, buffer.as<void>(), static_cast<int64_t>(i),
                       magnitude(kind) * randomUniform(bufferSeed, i));
      });
    }
  }
}

float RandomPool::magnitude(Kind kind) { return kind == Kind::Activations ? 1 : 0.05f; }

HostBuffer RandomPool::window(std::string name, Kind kind, DType type, int64_t elements,
                              uint64_t seed) {
  size_t index = size_t(std::find(types.begin(), types.end(), type) - types.begin());
  size_t size = size_t(elements) * byteSize(type);
  std::span<std::byte> pool;
  if (index < types.size())
    pool = memory[index + (kind == Kind::Weights ? types.size() : 0)].bytes();
  if (size > pool.size())
    throw Error("pool of random " + std::string(dtypeName(type)) + " values: expected " +
                std::to_string(size) + " bytes for " + name + ", found " +
                std::to_string(pool.size()));
  size_t places = (pool.size() - size) / HostBuffer::alignment + 1;
  size_t place = randomBelow(seed, 0, places) * HostBuffer::alignment;
  return HostBuffer(std::move(name), pool.subspan(place, size));
}
