//===- Stacks.h - Stacks for the threads of a block -----------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "StackSwitch.h"

#include <boost/context/fiber.hpp>
#include <boost/context/preallocated.hpp>

#include <cstddef>

namespace lora::emulator {

/// One stack a thread, used again for every block. Pages cost memory only once they are touched.
class Stacks {
public:
  /// A kernel keeps at most a few hundred registers a thread, so that its one frame is far smaller.
  static constexpr size_t stackBytes = 256 * 1024;

  explicit Stacks(size_t count);
  ~Stacks();
  Stacks(const Stacks &) = delete;
  Stacks &operator=(const Stacks &) = delete;

  boost::context::preallocated stack(size_t index) const;
  StackBounds bounds(size_t index) const { return {memory + index * stackBytes, stackBytes}; }

  /// The allocator of fibers on these stacks, which they leave to their owner.
  struct Allocator {
    boost::context::stack_context allocate() const { return {}; }
    void deallocate(boost::context::stack_context &) const {}
  };

private:
  size_t count;
  std::byte *memory;
};

} // namespace lora::emulator
