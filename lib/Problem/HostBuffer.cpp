//===- HostBuffer.cpp - Aligned memory of the host ------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Problem/HostBuffer.h"

#include <algorithm>
#include <new>
#include <utility>

using namespace lora;

namespace {

constexpr std::align_val_t alignment{256};

} // namespace

HostBuffer::HostBuffer(std::string name, size_t size)
    : label(std::move(name)), size(size),
      memory(static_cast<std::byte *>(::operator new(size, alignment))) {
  std::fill_n(memory.get(), size, std::byte(0xff));
}

void HostBuffer::Free::operator()(std::byte *memory) const { ::operator delete(memory, alignment); }
