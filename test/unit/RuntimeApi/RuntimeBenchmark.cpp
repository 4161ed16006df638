//===- RuntimeBenchmark.cpp - What the library costs the host -----------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Times calls of the C interface over the fake driver, whose own calls cost next to nothing, so
// that what is seen is the library. Prints a table of medians in microseconds.
//
//===----------------------------------------------------------------------===//

#include "RuntimeFixture.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>

using namespace lora;
using namespace lora::test;

namespace {

using Clock = std::chrono::steady_clock;

void check(lora_status status) {
  if (status == LORA_SUCCESS)
    return;
  std::fprintf(stderr, "runtime-benchmark: %s\n", lora_last_error());
  std::exit(1);
}

double medianMicroseconds(int samples, int callsPerSample, const std::function<void()> &call) {
  std::vector<double> times;
  for (int sample = 0; sample < samples; ++sample) {
    Clock::time_point start = Clock::now();
    for (int i = 0; i < callsPerSample; ++i)
      call();
    times.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count() /
                    callsPerSample);
  }
  std::nth_element(times.begin(), times.begin() + samples / 2, times.end());
  return times[static_cast<size_t>(samples / 2)];
}

void report(const char *what, double microseconds) {
  std::printf("%-52s %9.2f us\n", what, microseconds);
}

/// A pack and objects for a layer of the size of a large model.
struct Layer {
  explicit Layer(const char *pack, int32_t slots) {
    lora_context_options options = fakeOptions();
    check(lora_context_create(&options, &context));
    check(lora_context_load_pack(context, pack));
    int32_t widths[] = {4096, 1024, 1024};
    lora_adapters_options layer = {};
    layer.size = sizeof(layer);
    layer.slices = 3;
    layer.max_loras = slots;
    layer.max_rank = 16;
    layer.hidden = 4096;
    layer.slice_widths = widths;
    check(lora_adapters_create(context, &layer, nullptr, &adapters));
    lora_mapping_options batch = {sizeof(batch), 8192, slots, 0};
    check(lora_mapping_create(context, &batch, &mapping));
  }
  ~Layer() {
    lora_mapping_destroy(mapping);
    lora_adapters_destroy(adapters);
    lora_context_destroy(context);
  }

  lora_launch launch() const {
    Objects objects{context, adapters, mapping};
    return objects.launch();
  }

  lora_context *context = nullptr;
  lora_adapters *adapters = nullptr;
  lora_mapping *mapping = nullptr;
};

std::vector<int32_t> slotsOf(int32_t tokens, int32_t slots) {
  std::vector<int32_t> result(static_cast<size_t>(tokens));
  uint32_t state = 1;
  for (int32_t &slot : result) {
    state = state * 1664525 + 1013904223;
    slot = static_cast<int32_t>((state >> 8) % static_cast<uint32_t>(slots));
  }
  return result;
}

/// The first launch of a kernel verifies and loads it.
double medianFirstLaunch(const char *pack, int32_t slots) {
  std::vector<double> times;
  for (int i = 0; i < 11; ++i) {
    Layer layer(pack, slots);
    lora_launch launch = layer.launch();
    launch.tokens = 16;
    times.push_back(
        medianMicroseconds(1, 1, [&] { check(lora_shrink_expand(layer.context, &launch)); }));
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

void benchmark(const char *pack) {
  fakeDriver()->recordedArguments = -1;
  constexpr int32_t slots = 256;
  report("create a context, load the pack", medianMicroseconds(11, 1, [&] { Layer(pack, slots); }));
  report("first launch", medianFirstLaunch(pack, slots));
  Layer layer(pack, slots);
  for (int32_t tokens : {256, 8192}) {
    std::vector<int32_t> mapping = slotsOf(tokens, slots);
    std::string what = "mapping of " + std::to_string(tokens) + " tokens from the host";
    report(what.c_str(), medianMicroseconds(51, 20, [&] {
             check(lora_mapping_set_host(layer.mapping, mapping.data(), tokens, nullptr));
           }));
  }
  check(lora_mapping_set_host(layer.mapping, nullptr, 0, nullptr));
  lora_launch launch = layer.launch();
  auto time = [&](const char *what, int32_t tokens,
                  lora_status (*op)(lora_context *, const lora_launch *)) {
    launch.tokens = tokens;
    report(what, medianMicroseconds(51, 1000, [&] { check(op(layer.context, &launch)); }));
  };
  time("shrink of 16 tokens", 16, lora_shrink);
  time("expand of 16 tokens", 16, lora_expand);
  time("shrink_expand of 16 tokens, one launch", 16, lora_shrink_expand);
  time("shrink_expand of 4096 tokens, two launches", 4096, lora_shrink_expand);
  const void *weights[] = {toPointer(0x1000), toPointer(0x2000), toPointer(0x3000)};
  lora_adapter adapter = {sizeof(adapter), weights, weights, 16, 1.0f};
  report("put an adapter into one of 256 slots", medianMicroseconds(51, 20, [&] {
           check(lora_adapters_set(layer.adapters, 7, &adapter, nullptr));
         }));
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: runtime-benchmark PACK\n");
    return 1;
  }
  benchmark(argv[1]);
  return 0;
}
