//===- FusedBuffers.cpp - The buffers of a shrink_expand -------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FusedBuffers.h"

#include <algorithm>
#include <map>

using namespace lora;
using namespace lora::differential;

FusedBuffers::FusedBuffers(LoraProblem &shrink, LoraProblem &expand, int64_t blockM) {
  values = copyBuffers(shrink, blockM);
  Arguments ofExpand = copyBuffers(expand, blockM);
  for (const char *name : {"b", "y", "slice_offsets", "slice_widths"})
    values.setPointer(name, static_cast<uint64_t>(ofExpand.find(name)->integer()));
  for (const char *name : {"b_stride", "y_stride"})
    values.setI64(name, ofExpand.find(name)->integer());
  outputIndex = static_cast<size_t>(
      std::ranges::find(buffers, "y", [](const HostBuffer &buffer) { return buffer.name(); }) -
      buffers.begin());
}

/// Returns the arguments of the problem's own kernel with the addresses of the copies.
Arguments FusedBuffers::copyBuffers(LoraProblem &problem, int64_t blockM) {
  std::map<const HostBuffer *, size_t> copies;
  for (const HostBuffer &buffer : problem.buffers()) {
    if (buffer.name() == "s")
      continue;
    copies[&buffer] = buffers.size();
    buffers.emplace_back(buffer.name(), buffer.bytes().size());
  }
  Arguments arguments = problem.arguments(blockM, [&](const HostBuffer &buffer) -> uint64_t {
    auto copy = copies.find(&buffer);
    return copy == copies.end() ? 0
                                : reinterpret_cast<uint64_t>(buffers[copy->second].bytes().data());
  });
  // Only now do the tables of weights hold the addresses of the copies.
  for (auto [buffer, index] : copies)
    std::ranges::copy(buffer->bytes(), buffers[index].bytes().begin());
  return arguments;
}
