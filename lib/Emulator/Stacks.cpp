//===- Stacks.cpp - Stacks for the threads of a block ---------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Stacks.h"

#include <new>
#include <sys/mman.h>

namespace lora::emulator {

Stacks::Stacks(size_t count) : count(count) {
  void *mapped = mmap(nullptr, count * stackBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED)
    throw std::bad_alloc();
  memory = static_cast<std::byte *>(mapped);
  // Other stacks that were here may have been abandoned in the middle of a run.
  clearStack({memory, count * stackBytes});
}

Stacks::~Stacks() { munmap(memory, count * stackBytes); }

boost::context::preallocated Stacks::stack(size_t index) const {
  boost::context::stack_context context;
  context.size = stackBytes;
  context.sp = memory + (index + 1) * stackBytes;
  return {context.sp, context.size, context};
}

} // namespace lora::emulator
