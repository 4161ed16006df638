//===- AdapterFacts.h - What an adapter changes of a model ----------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lora {

/// What a PEFT adapter says of the launches of a model.
struct AdapterFacts {
  /// The largest rank.
  int64_t rank = 0;
  /// Names of the Projections that it changes.
  std::vector<std::string> projections;
};

/// Reads a PEFT adapter. Throws Error if it is not one, or changes none of a model's projections.
AdapterFacts readAdapterFacts(const std::string &directory);

} // namespace lora
