//===- Parallel.h - A loop over all cores ---------------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace lora {

/// Calls `body` once with each number in 0 to `count` - 1, on all cores in any order, and returns
/// when all calls have. `body` must not throw.
void parallelFor(int64_t count, const std::function<void(int64_t)> &body);

/// parallelFor over consecutive ranges [begin, end) that make up 0 to `size`. They begin at
/// multiples of a power of two, and are large enough that a thread for each does not cost more than
/// its work.
void parallelChunks(size_t size, const std::function<void(size_t begin, size_t end)> &body);

} // namespace lora
