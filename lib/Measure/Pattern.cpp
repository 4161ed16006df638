//===- Pattern.cpp - Random values in large device buffers ----------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Measure/Pattern.h"

#include "lora/Support/Error.h"

#include <algorithm>
#include <cstring>
#include <random>
#include <string>

using namespace lora;

/// The largest prime below 2^22.
static constexpr size_t patternSize = 4194301;

Pattern::Pattern(DType type, float magnitude, uint64_t seed)
    : elementType(type), values(patternSize * byteSize(type)) {
  // The engine is specified to the bit, the distributions of the library are not.
  std::mt19937_64 engine(seed);
  for (size_t i = 0; i < patternSize; ++i) {
    float unit = static_cast<float>(engine() >> 40) * 0x1p-24f;
    storeElement(type, values.data(), static_cast<int64_t>(i), magnitude * (2 * unit - 1));
  }
}

size_t Pattern::size() const { return patternSize; }

double Pattern::at(size_t start, size_t index) const {
  return loadElement(elementType, values.data(),
                     static_cast<int64_t>((start + index) % patternSize));
}

std::vector<std::byte> Pattern::elements(size_t start, size_t first, size_t count) const {
  size_t element = byteSize(elementType);
  std::vector<std::byte> bits(count * element);
  for (size_t done = 0; done < count;) {
    size_t from = (start + first + done) % patternSize;
    size_t length = std::min(count - done, patternSize - from);
    std::memcpy(bits.data() + done * element, values.data() + from * element, length * element);
    done += length;
  }
  return bits;
}

void Pattern::fill(DeviceBuffer &buffer, size_t start, Stream &stream) const {
  size_t element = byteSize(elementType);
  if (buffer.size() % element)
    throw Error("pattern of " + std::string(dtypeName(elementType)) + ": found a buffer of " +
                std::to_string(buffer.size()) + " bytes, expected whole elements");
  size_t filled = std::min(buffer.size(), values.size());
  buffer.upload(elements(start, 0, filled / element), 0, stream);
  // What is filled is a whole number of repetitions until the end, and so can be repeated itself.
  while (filled < buffer.size()) {
    size_t next = std::min(filled, buffer.size() - filled);
    buffer.copy(filled, buffer, 0, next, stream);
    filled += next;
  }
  stream.synchronize();
}
