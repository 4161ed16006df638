//===- Adapters.h - What a lora_adapters holds --------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "Context.h"
#include "Staging.h"

#include <mutex>
#include <vector>

/// Thread-safe.
struct lora_adapters {
public:
  /// The options with every 0 that stands for a default replaced, and found to be valid.
  static lora_adapters_options complete(lora_adapters_options options);

  /// Enqueues the first copy. The context must be current.
  lora_adapters(lora_context &context, const lora_adapters_options &options, void *stream);

  void set(int32_t slot, const lora_adapter *adapter, void *stream);
  void setStacked(const void *const *a, int64_t aSlotStride, const void *const *b,
                  int64_t bSlotStride, const int32_t *ranks, const float *scalings, void *stream);

  lora_context &context;
  /// `slice_widths` is not valid.
  const lora_adapters_options sizes;
  /// The widest slice; the columns of y up to the last slice's end; and the largest power of two
  /// that all widths and the offset are multiples of.
  int32_t maxWidth = 0;
  int64_t yWidth = 0;
  int64_t columnAlign = 16;

  /// Where the tables are on the device.
  struct Tables {
    lora::cuda::DevicePointer a = 0, b = 0, ranks = 0, scalings = 0, offsets = 0, widths = 0;
  };
  const Tables &tables() const { return places; }

private:
  /// The tables in host memory, in the layout of the device.
  struct View {
    uint64_t *a, *b;
    int32_t *ranks;
    float *scalings;
    int32_t *offsets, *widths;
  };

  size_t cells() const {
    return static_cast<size_t>(sizes.slices) * static_cast<size_t>(sizes.max_loras);
  }
  static size_t bytesOf(const lora_adapters_options &options);
  View view(std::vector<std::byte> &tables) const;
  uint64_t checkWeights(const char *what, size_t index, const void *weights) const;
  void checkRank(const std::string &what, int32_t rank) const;
  void upload(std::vector<std::byte> changed, void *stream);

  std::mutex mutex;
  lora::api::StagedBuffer staged;
  std::vector<std::byte> mirror;
  Tables places;
};
