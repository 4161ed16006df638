//===- FusedBuffers.h - The buffers of a shrink_expand ---------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "lora/Problem/LoraProblem.h"

#include <map>
#include <vector>

namespace lora::differential {

/// Copies of the buffers of a shrink and an expand over the same tokens, as shrink_expand takes
/// them: all but s. The kernel has row blocks of blockM tokens.
class FusedBuffers {
public:
  FusedBuffers(LoraProblem &shrink, LoraProblem &expand, int64_t blockM);

  std::vector<HostBuffer> &all() { return buffers; }
  const Arguments &arguments() const { return values; }
  /// y.
  HostBuffer &output() { return buffers[outputIndex]; }

private:
  Arguments copyBuffers(LoraProblem &problem, int64_t blockM);

  std::vector<HostBuffer> buffers;
  Arguments values;
  size_t outputIndex = 0;
};

} // namespace lora::differential
