//===- AdapterStack.h - Adapters side by side in one launch ---------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "lora/Adapter/Adapter.h"
#include "lora/Problem/LoraProblem.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lora {

/// The modules of several adapters that one launch of shrink and expand serves: an adapter fills a
/// slot, and a module, such as q_proj, a slice. Refers to the adapters.
struct AdapterStack {
  /// Columns of x.
  int64_t hidden = 0;
  /// [slices]: the columns of y that each module adds to.
  std::vector<int32_t> sliceWidths;
  /// [adapters].
  std::vector<int32_t> ranks;
  std::vector<float> scalings;
  /// [slices, adapters].
  std::vector<const AdapterModule *> modules;

  /// Finds the modules that `suffixes` name (see Adapter::find). Without a layer they are those of
  /// layer 0 or, if there is none, those outside any layer. Throws Error with the adapter's
  /// directory and the module if one is missing, its shape is not that of the other adapters' ones,
  /// the modules differ in their input, or an adapter's modules differ in rank or scaling, of which
  /// a launch has one for each adapter.
  static AdapterStack select(std::span<const Adapter> adapters,
                             std::span<const std::string> suffixes,
                             std::optional<int64_t> layer = {});

  /// The type of all tensors, if they agree.
  std::optional<DType> commonType() const;

  /// Gives a problem with these slices, ranks and hidden size the weights, rounded to its type of
  /// weights, and a shrink the scalings. Throws Error with the tensor if a value is too large.
  void fill(LoraProblem &problem) const;
};

} // namespace lora
