//===- GpuFixture.cpp - A context on the GPU ----------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GpuFixture.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include <dlfcn.h>

using namespace lora;
using namespace lora::gpu;

std::string gpu::testPack() {
  if (const char *path = std::getenv("LORA_TEST_PACK"))
    return path;
  Dl_info info = {};
  if (!dladdr(reinterpret_cast<const void *>(&lora_version), &info))
    return "";
  return std::filesystem::path(info.dli_fname).parent_path() / "lora-tile" / "default.pack";
}

std::vector<int32_t> gpu::randomSlots(int64_t tokens, int32_t loras, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<int32_t> slots(static_cast<size_t>(tokens));
  for (int32_t &slot : slots)
    slot = static_cast<int32_t>(random() % (static_cast<unsigned>(loras) + 1)) - 1;
  return slots;
}

LoraShape gpu::plainShape(int64_t tokens, int64_t hidden, int32_t rank, int32_t loras) {
  LoraShape shape;
  shape.tokens = tokens;
  shape.hidden = hidden;
  shape.maxLoras = loras;
  shape.maxRank = rank;
  shape.ranks.assign(static_cast<size_t>(loras), rank);
  shape.sliceWidths = {static_cast<int32_t>(hidden)};
  return shape;
}

void gpu::reportMeasured(const std::string &what, double value, const std::string &unit) {
  std::printf("MEASURED %-68s %10.3f %s\n", what.c_str(), value, unit.c_str());
  std::fflush(stdout);
}

double gpu::medianHostTime(int samples, const std::function<void()> &call,
                           const std::function<void()> &prepare) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> times;
  for (int i = 0; i < samples; ++i) {
    if (prepare)
      prepare();
    Clock::time_point start = Clock::now();
    call();
    times.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
  }
  std::nth_element(times.begin(), times.begin() + samples / 2, times.end());
  return times[static_cast<size_t>(samples / 2)];
}

void GpuTest::SetUp() {
  if (!Driver::available() || Device::count() == 0)
    GTEST_SKIP() << "no GPU";
  if (!std::filesystem::exists(testPack()))
    GTEST_SKIP() << "no pack at " << testPack() << ": build default-pack";
  device.emplace(0);
  auto options = sized<lora_context_options>();
  context.emplace(options);
  context->loadPack(testPack().c_str());
}
