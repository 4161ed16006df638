//===- Launch.cpp - One run of a kernel over its grid ---------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Launch.h"

#include "Cluster.h"

#include <numeric>
#include <thread>

namespace lora::emulator {

uint64_t Random::next() {
  state += 0x9e3779b97f4a7c15;
  uint64_t mixed = state;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
  return mixed ^ (mixed >> 31);
}

Launch::Launch(const Kernel &kernel, llvm::ArrayRef<Buffer> buffers, void *const *arguments,
               const RunOptions &options)
    : kernel(kernel), arguments(arguments), options(options), memory(buffers),
      clusters(static_cast<size_t>(options.grid[0] / kernel.clusterBlocks) * options.grid[1] *
               options.grid[2]) {
  std::iota(clusters.begin(), clusters.end(), 0);
  Random(options.seed).shuffle(clusters);
}

std::string Launch::describeBlock(uint32_t block) const {
  const uint32_t x = block % options.grid[0];
  const uint32_t y = block / options.grid[0] % options.grid[1];
  const uint32_t z = block / options.grid[0] / options.grid[1];
  return "block (" + std::to_string(x) + ", " + std::to_string(y) + ", " + std::to_string(z) + ")";
}

void Launch::fail(uint32_t order, std::string message) {
  std::lock_guard guard(failure);
  if (order >= failedOrder.load())
    return;
  failedOrder.store(order);
  failureMessage = std::move(message);
}

bool Launch::isInterrupted() const {
  return options.interrupt && options.interrupt->load(std::memory_order_relaxed);
}

void Launch::work() {
  Cluster cluster(*this);
  for (;;) {
    const uint32_t order = nextOrder.fetch_add(1);
    if (order >= clusters.size() || mustStop(order))
      return;
    cluster.run(clusters[order], order);
    if (options.finishedBlocks)
      *options.finishedBlocks += kernel.clusterBlocks;
  }
}

llvm::Error Launch::run() {
  size_t count = options.threads ? options.threads : std::thread::hardware_concurrency();
  count = std::min(std::max<size_t>(count, 1), clusters.size());
  std::vector<std::thread> workers;
  for (size_t i = 1; i < count; ++i)
    workers.emplace_back([this] { work(); });
  work();
  for (std::thread &worker : workers)
    worker.join();
  if (failedOrder.load() != std::numeric_limits<uint32_t>::max())
    return llvm::createStringError(failureMessage);
  if (isInterrupted())
    return llvm::createStringError("interrupted");
  return llvm::Error::success();
}

} // namespace lora::emulator
