//===- HostBuffer.cpp - Aligned memory of the host ------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Problem/HostBuffer.h"

#include "Parallel.h"
#include "lora/Support/Error.h"

#include <cstring>
#include <new>
#include <utility>

using namespace lora;

HostBuffer::HostBuffer(std::string name, size_t size)
    : label(std::move(name)),
      owned(static_cast<std::byte *>(::operator new(size, std::align_val_t(alignment)))),
      memory(owned.get(), size) {
  parallelChunks(size, [&](size_t begin, size_t end) {
    std::memset(memory.data() + begin, 0xff, end - begin);
  });
}

HostBuffer::HostBuffer(std::string name, std::span<std::byte> shared)
    : label(std::move(name)), memory(shared) {
  if (reinterpret_cast<uintptr_t>(shared.data()) % alignment != 0)
    throw Error("buffer " + label + ": expected memory aligned to " + std::to_string(alignment) +
                " bytes");
}

void HostBuffer::Free::operator()(std::byte *memory) const {
  ::operator delete(memory, std::align_val_t(alignment));
}
