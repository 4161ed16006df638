//===- StressTest.cpp - Many launches, threads and streams --------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GpuFixture.h"

#include <fstream>
#include <thread>

#include <unistd.h>

using namespace lora;
using namespace lora::gpu;

namespace {

/// Bytes of memory that this process has resident.
size_t residentBytes() {
  size_t pages = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  return resident * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

class GpuStress : public GpuTest {};

TEST_F(GpuStress, AMillionLaunchesDoNotGrowMemory) {
  constexpr int launchesPerStep = 1000;
  const int steps = times(1000);
  Layer layer(*context, *device, plainShape(16, 1024, 16, 8));
  lora_launch launch = layer.launch();
  context->prepare(LORA_SHRINK_EXPAND, launch);
  context->prepare(LORA_SHRINK, launch);
  auto launchMany = [&] {
    for (int i = 0; i < (isEmulator() ? 2 : launchesPerStep); ++i)
      context->shrinkExpand(launch);
  };
  Graph graph(layer.stream(), launchMany);
  auto update = [&](int step) {
    layer.setHost(randomSlots(16, 8, static_cast<uint32_t>(step)));
    layer.putAdapter(step % 8, (step + 1) % 8);
  };
  for (bool inGraphs : {true, false}) {
    // The driver fills its own pools during the first steps.
    size_t device0 = 0, host0 = 0;
    for (int step = 0; step < steps; ++step) {
      if (step == steps / 10) {
        layer.stream().synchronize();
        device0 = device->memory().free;
        host0 = residentBytes();
      }
      update(step);
      if (inGraphs)
        graph.launch(layer.stream());
      else
        launchMany();
      layer.stream().synchronize();
    }
    double deviceGrowth = double(device0) - double(device->memory().free);
    double hostGrowth = double(residentBytes()) - double(host0);
    std::string what = inGraphs ? "in graphs" : "one by one";
    reportMeasured("launches " + what, double(steps) * launchesPerStep, "");
    reportMeasured("  growth of device memory", deviceGrowth / 1024, "KiB");
    reportMeasured("  growth of host memory", hostGrowth / 1024, "KiB");
    if (isEmulator())
      continue;
    EXPECT_LE(deviceGrowth, 0);
    // Pages here and there are the allocator's; 4 bytes a launch would be more.
    EXPECT_LE(hostGrowth, 3 << 20);
  }
}

TEST_F(GpuStress, ContextsComeAndGo) {
  size_t before = 0;
  for (int i = 0; i < times(40); ++i) {
    if (i == times(40) / 4)
      before = device->memory().free;
    RuntimeContext own(sized<lora_context_options>());
    own.loadPack(testPack().c_str());
    Layer layer(own, *device, plainShape(12, 256, 16, 4));
    layer.setHost(randomSlots(12, 4, 1));
    own.shrinkExpand(layer.launch());
    layer.stream().synchronize();
  }
  EXPECT_GE(device->memory().free, before);
}

TEST_F(GpuStress, ThreadsWithStreamsOfTheirOwn) {
  const int threads = isEmulator() ? 2 : 8, rounds = times(200);
  std::vector<std::string> failures(static_cast<size_t>(threads));
  std::vector<std::thread> running;
  for (int i = 0; i < threads; ++i)
    running.emplace_back([&, i] {
      try {
        // One or two launches.
        Layer layer(*context, *device, plainShape(isEmulator() || i % 2 ? 12 : 400, 256, 16, 4));
        lora_launch launch = layer.launch();
        std::vector<std::byte> first;
        for (int round = 0; round < rounds; ++round) {
          auto slots = randomSlots(launch.tokens, 4, static_cast<uint32_t>(round % 2));
          if (round % 3 == 0)
            layer.setHost(slots);
          else
            layer.setDevice(slots);
          layer.reset();
          context->shrinkExpand(launch);
          if (round < 2)
            layer.check(LORA_SHRINK_EXPAND, slots);
          std::vector<std::byte> output = layer.output();
          if (round == 0)
            first = output;
          if (round % 2 == 0 && output != first)
            throw std::runtime_error("other bits in round " + std::to_string(round));
        }
      } catch (const std::exception &error) {
        failures[static_cast<size_t>(i)] = error.what();
      }
    });
  for (std::thread &thread : running)
    thread.join();
  for (const std::string &failure : failures)
    EXPECT_EQ(failure, "");
}

} // namespace
