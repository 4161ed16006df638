//===- Adapters.cpp - What a lora_adapters holds ------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Adapters.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

using namespace lora;
using namespace lora::api;

static constexpr int32_t kMaxRank = 512;
static constexpr int64_t kMaxI32 = std::numeric_limits<int32_t>::max();

static void checkPowerOfTwo(const char *what, int32_t value, int32_t low, int32_t high) {
  checkRange(what, value, low, high);
  if (!std::has_single_bit(static_cast<uint32_t>(value)))
    failArgument(what, "a power of two", std::to_string(value));
}

lora_adapters_options lora_adapters::complete(lora_adapters_options options) {
  checkRange("options.dtype", options.dtype, LORA_F16, LORA_BF16);
  // The slices and slots are grid dimensions.
  checkRange("options.slices", options.slices, 1, 65535);
  checkRange("options.max_loras", options.max_loras, 1, 65534);
  checkRange("options.max_rank", options.max_rank, 1, kMaxRank);
  checkRange("options.hidden", options.hidden, 1, kMaxI32);
  checkNotNull("options.slice_widths", options.slice_widths);
  checkRange("options.output_offset", options.output_offset, 0, kMaxI32);
  int64_t end = options.output_offset;
  for (int32_t i = 0; i < options.slices; ++i) {
    std::string what = "options.slice_widths[" + std::to_string(i) + "]";
    checkRange(what.c_str(), options.slice_widths[i], 1, kMaxI32);
    end += options.slice_widths[i];
  }
  checkRange("options: end of the last slice", end, 1, kMaxI32);
  if (options.a_stride == 0)
    options.a_stride = options.hidden;
  if (options.b_stride == 0)
    options.b_stride = options.max_rank;
  checkRange("options.a_stride", options.a_stride, options.hidden, kMaxI32);
  checkRange("options.b_stride", options.b_stride, options.max_rank, kMaxI32);
  if (options.weight_alignment == 0)
    options.weight_alignment = 16;
  checkPowerOfTwo("options.weight_alignment", options.weight_alignment, 2, 16);
  if (options.rank_multiple == 0)
    options.rank_multiple = std::gcd(options.max_rank, 8);
  checkPowerOfTwo("options.rank_multiple", options.rank_multiple, 1, 8);
  checkRange("options.staging_depth", options.staging_depth, 0, 1024);
  if (options.staging_depth == 0)
    options.staging_depth = 8;
  return options;
}

size_t lora_adapters::bytesOf(const lora_adapters_options &options) {
  size_t slices = static_cast<size_t>(options.slices);
  size_t loras = static_cast<size_t>(options.max_loras);
  return 16 * slices * loras + 8 * loras + 8 * slices;
}

lora_adapters::lora_adapters(lora_context &context, const lora_adapters_options &options,
                             void *stream)
    : context(context), sizes(options),
      staged(context.session, bytesOf(options), options.staging_depth), mirror(bytesOf(options)) {
  View host = view(mirror);
  auto place = [&](const void *table) {
    return staged.address() +
           static_cast<size_t>(static_cast<const std::byte *>(table) - mirror.data());
  };
  places = {place(host.a),        place(host.b),       place(host.ranks),
            place(host.scalings), place(host.offsets), place(host.widths)};
  yWidth = options.output_offset;
  columnAlign = std::gcd(columnAlign, yWidth);
  for (int32_t i = 0; i < options.slices; ++i) {
    int32_t width = options.slice_widths[i];
    host.offsets[i] = static_cast<int32_t>(yWidth);
    host.widths[i] = width;
    yWidth += width;
    maxWidth = std::max(maxWidth, width);
    columnAlign = std::gcd(columnAlign, width);
  }
  upload(mirror, stream);
}

lora_adapters::View lora_adapters::view(std::vector<std::byte> &tables) const {
  View result;
  result.a = reinterpret_cast<uint64_t *>(tables.data());
  result.b = result.a + cells();
  result.ranks = reinterpret_cast<int32_t *>(result.b + cells());
  result.scalings = reinterpret_cast<float *>(result.ranks + sizes.max_loras);
  result.offsets = reinterpret_cast<int32_t *>(result.scalings + sizes.max_loras);
  result.widths = result.offsets + sizes.slices;
  return result;
}

uint64_t lora_adapters::checkWeights(const char *what, size_t index, const void *weights) const {
  auto address = reinterpret_cast<uint64_t>(weights);
  if (address == 0 || address % static_cast<uint64_t>(sizes.weight_alignment) != 0)
    failArgument(std::string(what) + "[" + std::to_string(index) + "]",
                 "an address that is a multiple of weight_alignment = " +
                     std::to_string(sizes.weight_alignment),
                 std::to_string(address));
  return address;
}

void lora_adapters::checkRank(const std::string &what, int32_t rank) const {
  checkRange(what.c_str(), rank, 0, sizes.max_rank);
  if (rank % sizes.rank_multiple != 0)
    failArgument(what, "a multiple of rank_multiple = " + std::to_string(sizes.rank_multiple),
                 std::to_string(rank));
}

void lora_adapters::upload(std::vector<std::byte> changed, void *stream) {
  Current current(context.session);
  staged.update(stream, [&](std::byte *memory) {
    std::memcpy(memory, changed.data(), changed.size());
    return changed.size();
  });
  mirror = std::move(changed);
}

void lora_adapters::set(int32_t slot, const lora_adapter *adapter, void *stream) {
  checkRange("slot", slot, 0, sizes.max_loras - 1);
  lora_adapter added = {};
  if (adapter) {
    added = readStruct("adapter", adapter);
    checkNotNull("adapter.a", added.a);
    checkNotNull("adapter.b", added.b);
    checkRank("adapter.rank", added.rank);
  }
  std::lock_guard lock(mutex);
  std::vector<std::byte> changed = mirror;
  View tables = view(changed);
  for (size_t i = 0; i < static_cast<size_t>(sizes.slices); ++i) {
    size_t cell = i * static_cast<size_t>(sizes.max_loras) + static_cast<size_t>(slot);
    tables.a[cell] = adapter ? checkWeights("adapter.a", i, added.a[i]) : 0;
    tables.b[cell] = adapter ? checkWeights("adapter.b", i, added.b[i]) : 0;
  }
  tables.ranks[slot] = added.rank;
  tables.scalings[slot] = added.scaling;
  upload(std::move(changed), stream);
}

void lora_adapters::setStacked(const void *const *a, int64_t aSlotStride, const void *const *b,
                               int64_t bSlotStride, const int32_t *ranks, const float *scalings,
                               void *stream) {
  checkNotNull("a", a);
  checkNotNull("b", b);
  checkNotNull("ranks", ranks);
  checkNotNull("scalings", scalings);
  constexpr int64_t elementBytes = 2;
  auto checkStride = [&](const char *what, int64_t stride) {
    if (stride < 0 || stride * elementBytes % sizes.weight_alignment != 0)
      failArgument(what,
                   "a multiple of weight_alignment = " + std::to_string(sizes.weight_alignment) +
                       " bytes",
                   std::to_string(stride) + " elements");
  };
  checkStride("a_slot_stride", aSlotStride);
  checkStride("b_slot_stride", bSlotStride);
  std::lock_guard lock(mutex);
  std::vector<std::byte> changed = mirror;
  View tables = view(changed);
  for (int32_t slot = 0; slot < sizes.max_loras; ++slot) {
    checkRank("ranks[" + std::to_string(slot) + "]", ranks[slot]);
    tables.ranks[slot] = ranks[slot];
    tables.scalings[slot] = scalings[slot];
  }
  size_t cell = 0;
  for (size_t i = 0; i < static_cast<size_t>(sizes.slices); ++i) {
    uint64_t firstA = checkWeights("a", i, a[i]), firstB = checkWeights("b", i, b[i]);
    for (int32_t slot = 0; slot < sizes.max_loras; ++slot, ++cell) {
      bool empty = ranks[slot] == 0;
      tables.a[cell] =
          empty ? 0 : firstA + static_cast<uint64_t>(slot * aSlotStride * elementBytes);
      tables.b[cell] =
          empty ? 0 : firstB + static_cast<uint64_t>(slot * bSlotStride * elementBytes);
    }
  }
  upload(std::move(changed), stream);
}
