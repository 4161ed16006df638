//===- Arguments.cpp - Arguments of a case on the device ------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Bench/Arguments.h"

#include "lora/Problem/Mapping.h"
#include "lora/Support/Error.h"

#include <algorithm>

using namespace lora;

namespace {

std::vector<int32_t> makeMapping(const BenchCase &one, uint64_t seed) {
  std::vector<int32_t> requests =
      randomMapping(one.batch, static_cast<int32_t>(one.active), one.noLoraFraction, seed);
  std::vector<int32_t> tokens;
  tokens.reserve(static_cast<size_t>(one.tokens()));
  for (int32_t request : requests)
    tokens.insert(tokens.end(), static_cast<size_t>(one.seqLength), request);
  if (one.sort)
    std::stable_sort(tokens.begin(), tokens.end());
  return tokens;
}

std::vector<ArgumentPool::Item> itemsOf(const BenchCase &one) {
  size_t element = byteSize(one.dtype);
  auto bytes = [](int64_t elements, size_t size) { return static_cast<size_t>(elements) * size; };
  int64_t sums = one.slices() * one.tokens() * one.rank;
  std::vector<ArgumentPool::Item> items = {
      {"x", bytes(one.tokens() * one.hidden, element)},
      {"y", bytes(one.tokens() * one.yWidth(), element)},
      {"s_in", bytes(sums, sizeof(float))},
      {"s_out", bytes(sums, sizeof(float))},
      {"s_cublas", bytes(sums, element)},
  };
  for (int64_t slice = 0; slice < one.slices(); ++slice) {
    int64_t width = one.widths[static_cast<size_t>(slice)];
    items.push_back(
        {BenchArguments::nameOfA(slice), bytes(one.numLoras * one.rank * one.hidden, element)});
    items.push_back(
        {BenchArguments::nameOfB(slice), bytes(one.numLoras * one.rank * width, element)});
  }
  return items;
}

lora_mapping_options mappingOptions(const BenchCase &one) {
  auto options = sized<lora_mapping_options>();
  options.max_tokens = static_cast<int32_t>(one.tokens());
  options.max_loras = static_cast<int32_t>(one.numLoras);
  return options;
}

/// The largest power of two up to 16 that divides a size in bytes.
int32_t alignmentOf(int64_t bytes) {
  int32_t alignment = 16;
  while (bytes % alignment)
    alignment /= 2;
  return alignment;
}

} // namespace

BenchPatterns::BenchPatterns(DType dtype, uint64_t seed)
    : activations(dtype, 1, seed), weights(dtype, 0.05f, seed + 1), sums(DType::F32, 1, seed + 2) {}

BenchArguments::BenchArguments(const BenchCase &shape, const BenchPatterns &patterns,
                               const PoolLimits &limits, uint64_t seed, RuntimeContext &runtime,
                               Stream &stream)
    : one(shape), values(patterns),
      memory(stream.device(), itemsOf(one), poolSets(static_cast<size_t>(one.setBytes()), limits)),
      mappingOfTokens(makeMapping(one, seed)), mapping(runtime, mappingOptions(one)) {
  mapping.setHost(mappingOfTokens, stream.handle());
  fill(stream);
  addAdapters(runtime, stream);
  stream.synchronize();
}

void BenchArguments::fillAll(const std::string &name, const Pattern &pattern, size_t start,
                             Stream &stream) {
  pattern.fill(memory.at(0, name), start, stream);
  memory.repeatFirst(name, stream);
}

void BenchArguments::fill(Stream &stream) {
  fillAll("x", values.activations, startOfX(), stream);
  fillAll("y", values.activations, startOfY(), stream);
  fillAll("s_in", values.sums, startOfS(), stream);
  fillAll("s_cublas", values.activations, startOfS(), stream);
  for (int64_t slice = 0; slice < one.slices(); ++slice) {
    fillAll(nameOfA(slice), values.weights, startOfA(slice), stream);
    fillAll(nameOfB(slice), values.weights, startOfB(slice), stream);
  }
}

void BenchArguments::addAdapters(RuntimeContext &runtime, Stream &stream) {
  std::vector<int32_t> widths(one.widths.begin(), one.widths.end());
  auto options = sized<lora_adapters_options>();
  options.dtype = one.dtype == DType::F16 ? LORA_F16 : LORA_BF16;
  options.slices = static_cast<int32_t>(one.slices());
  options.max_loras = static_cast<int32_t>(one.numLoras);
  options.max_rank = static_cast<int32_t>(one.rank);
  options.hidden = static_cast<int32_t>(one.hidden);
  options.slice_widths = widths.data();
  options.output_offset = static_cast<int32_t>(one.offset);
  options.staging_depth = 2;
  auto element = static_cast<int64_t>(byteSize(one.dtype));
  options.weight_alignment = alignmentOf(one.rank * one.hidden * element);
  for (int64_t width : one.widths)
    options.weight_alignment =
        std::min(options.weight_alignment, alignmentOf(one.rank * width * element));

  for (size_t set = 0; set < sets(); ++set) {
    AdapterSlots &slots = adapters.emplace_back(runtime, options, stream.handle());
    for (int64_t slot = 0; slot < one.numLoras; ++slot) {
      std::vector<const void *> a, b;
      for (int64_t slice = 0; slice < one.slices(); ++slice) {
        int64_t width = one.widths[static_cast<size_t>(slice)];
        auto place = [&](const std::string &name, int64_t elements) {
          uint64_t offset = static_cast<uint64_t>(slot * elements * element);
          return reinterpret_cast<const void *>(memory.address(set, name) + offset);
        };
        a.push_back(place(nameOfA(slice), one.rank * one.hidden));
        b.push_back(place(nameOfB(slice), one.rank * width));
      }
      auto adapter = sized<lora_adapter>();
      adapter.a = a.data();
      adapter.b = b.data();
      adapter.rank = static_cast<int32_t>(one.rank);
      adapter.scaling = benchScaling;
      slots.set(static_cast<int32_t>(slot), adapter, stream.handle());
      // The next update needs staging memory that is free again.
      stream.synchronize();
    }
  }
}

lora_launch BenchArguments::launch(size_t set, bool programmatic, bool chained, Stream &stream) {
  auto launch = sized<lora_launch>();
  launch.adapters = adapters[set].get();
  launch.mapping = mapping.get();
  launch.dtype = one.dtype == DType::F16 ? LORA_F16 : LORA_BF16;
  launch.max_active_loras = static_cast<int32_t>(one.active);
  launch.flags = programmatic ? LORA_LAUNCH_PROGRAMMATIC : 0;
  launch.add_inputs = one.addInputs;
  launch.x = reinterpret_cast<const void *>(memory.address(set, "x"));
  launch.s = reinterpret_cast<float *>(memory.address(set, chained ? "s_out" : "s_in"));
  launch.y = reinterpret_cast<void *>(memory.address(set, "y"));
  launch.y_stride = one.yWidth();
  launch.stream = stream.handle();
  return launch;
}

void BenchArguments::poisonOutputs(size_t set, Stream &stream) {
  constexpr uint8_t notANumber = 0xff;
  memory.at(set, "s_out").fill(notANumber, stream);
  if (one.addInputs)
    values.activations.fill(memory.at(set, "y"), startOfY(), stream);
  else
    memory.at(set, "y").fill(notANumber, stream);
}
