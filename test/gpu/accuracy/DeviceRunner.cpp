//===- DeviceRunner.cpp - Problems run on a device -----------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceRunner.h"

#include "lora/Support/Error.h"

#include <unordered_map>

using namespace lora;
using namespace lora::accuracy;

DeviceRunner::DeviceRunner(const Device &device, std::span<const HostBuffer> pool)
    : device(device), stream(device), pool(pool) {
  for (const HostBuffer &buffer : pool) {
    poolCopies.emplace_back(device, buffer.bytes().size());
    poolCopies.back().upload(buffer.bytes(), stream);
  }
}

void DeviceRunner::run(LoraProblem &problem, Kernel &kernel) {
  std::unordered_map<const HostBuffer *, DeviceBuffer> copies;
  for (const HostBuffer &buffer : problem.buffers())
    if (!buffer.isShared())
      copies.emplace(&buffer, DeviceBuffer(device, buffer.bytes().size()));

  auto addressOf = [&](const HostBuffer &buffer) -> uint64_t {
    if (!buffer.isShared())
      return copies.at(&buffer).address();
    for (size_t i = 0; i < pool.size(); ++i) {
      std::span<const std::byte> all = pool[i].bytes(), part = buffer.bytes();
      if (part.data() >= all.data() && part.data() + part.size() <= all.data() + all.size())
        return poolCopies[i].address() + static_cast<uint64_t>(part.data() - all.data());
    }
    throw Error("buffer " + buffer.name() + ": expected one that is part of the pool");
  };
  Arguments arguments = problem.arguments(kernel.manifest().config.at("BLOCK_M"), addressOf);
  for (auto &[buffer, copy] : copies)
    copy.upload(buffer->bytes(), stream);
  kernel.launch(arguments, stream);
  copies.at(&problem.output()).download(problem.output().bytes(), stream);
}
