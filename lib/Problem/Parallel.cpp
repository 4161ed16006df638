//===- Parallel.cpp - A loop over all cores -------------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parallel.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

using namespace lora;

void lora::parallelFor(int64_t count, const std::function<void(int64_t)> &body) {
  std::atomic<int64_t> next = 0;
  auto work = [&] {
    for (int64_t i = next++; i < count; i = next++)
      body(i);
  };
  int64_t cores = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::jthread> helpers;
  for (int64_t i = 1; i < std::min(cores, count); ++i)
    helpers.emplace_back(work);
  work();
}

void lora::parallelChunks(size_t size, const std::function<void(size_t, size_t)> &body) {
  constexpr size_t chunk = size_t(1) << 20;
  parallelFor(static_cast<int64_t>((size + chunk - 1) / chunk), [&](int64_t i) {
    size_t begin = size_t(i) * chunk;
    body(begin, std::min(begin + chunk, size));
  });
}
