//===- GpuFixture.h - A context on the GPU ------------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "Layer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace lora::gpu {

/// The pack that the tests use: the one of the environment variable LORA_TEST_PACK, or the one that
/// is installed with the library.
std::string testPack();

/// `tokens` slots from -1 to loras - 1.
std::vector<int32_t> randomSlots(int64_t tokens, int32_t loras, uint32_t seed);

/// A layer of equal ranks and f16, whose slots are all full.
LoraShape plainShape(int64_t tokens, int64_t hidden, int32_t rank, int32_t loras);

/// Prints a measured value.
void reportMeasured(const std::string &what, double value, const std::string &unit);

/// The median of the host times of single calls, in microseconds. `prepare` comes before each of
/// them and is not timed.
double medianHostTime(int samples, const std::function<void()> &call,
                      const std::function<void()> &prepare = nullptr);

/// Skips without a GPU, or the emulator in its place, and without a pack.
class GpuTest : public testing::Test {
protected:
  void SetUp() override;

  /// The emulator shows that a test is right, and says nothing about time.
  bool isEmulator() const { return device->computeCapability() == 0; }
  /// A number of repetitions, reduced on the emulator.
  int times(int onGpu) const { return isEmulator() ? std::min(onGpu, 3) : onGpu; }

  std::optional<Device> device;
  std::optional<RuntimeContext> context;
};

} // namespace lora::gpu
