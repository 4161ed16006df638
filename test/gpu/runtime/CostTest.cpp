//===- CostTest.cpp - Times on the GPU and of the host ------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaApi.h"
#include "GpuFixture.h"
#include "lora/Measure/GraphTimer.h"

#include <algorithm>

using namespace lora;
using namespace lora::gpu;

namespace {

class GpuCost : public GpuTest {
protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (!IsSkipped() && isEmulator())
      GTEST_SKIP() << "the emulator says nothing about time";
  }
};

DeviceCall shrinkExpand(Layer &layer, int32_t maxActive) {
  lora_launch launch = layer.launch();
  launch.max_active_loras = maxActive;
  return [&layer, launch](Stream &stream) {
    lora_launch own = launch;
    own.stream = stream.handle();
    layer.context().shrinkExpand(own);
  };
}

/// One adapter is in use: with one slot, with 256 slots of which a step uses at most one, and with
/// 256 slots that a step might all use.
TEST_F(GpuCost, ManySlotsCostNoMoreThanOne) {
  for (int32_t tokens : {1, 16, 128, 1024}) {
    Layer one(*context, *device, plainShape(tokens, 4096, 16, 1));
    Layer many(*context, *device, plainShape(tokens, 4096, 16, 256));
    one.setHost(std::vector<int32_t>(static_cast<size_t>(tokens), 0));
    many.setHost(std::vector<int32_t>(static_cast<size_t>(tokens), 77));
    one.stream().synchronize();
    many.stream().synchronize();
    GraphTimer timer(Stream(*device), {.calls = 64, .replays = 41});
    std::vector<std::vector<DeviceCall>> candidates = {
        {shrinkExpand(one, 1)}, {shrinkExpand(many, 1)}, {shrinkExpand(many, 256)}};
    std::vector<Timing> timings = timer.timeInTurns(candidates);
    std::string what = std::to_string(tokens) + " tokens, hidden 4096: 1 adapter in ";
    reportMeasured(what + "1 slot", timings[0].median, "us");
    reportMeasured(what + "256, at most 1 in use", timings[1].median, "us");
    reportMeasured(what + "256, at most 256 in use", timings[2].median, "us");
    EXPECT_LE(timings[1].median, 1.05 * timings[0].median) << tokens << " tokens";
  }
}

TEST_F(GpuCost, MappingOnTheDevice) {
  for (int32_t tokens : {16, 256, 2048, 8192}) {
    auto options = sized<lora_mapping_options>();
    options.max_tokens = 8192;
    options.max_loras = 256;
    TokenMapping mapping(*context, options);
    struct Pattern {
      const char *name;
      int32_t adapters;
      bool sorted;
    };
    for (const Pattern &pattern :
         {Pattern{"256 adapters, random", 256, false}, Pattern{"256 adapters, sorted", 256, true},
          Pattern{"4 adapters, random", 4, false}, Pattern{"1 adapter", 1, false}}) {
      std::vector<int32_t> slots = randomSlots(tokens, pattern.adapters - 1, 5);
      for (int32_t &slot : slots)
        ++slot;
      if (pattern.sorted)
        std::sort(slots.begin(), slots.end());
      Stream stream(*device);
      DeviceBuffer tokenLora(*device, 4 * slots.size());
      tokenLora.upload(std::as_bytes(std::span(slots)), stream);
      GraphTimer timer(stream, {.calls = 64, .replays = 21});
      const DeviceCall call = [&](Stream &on) {
        mapping.setDevice(reinterpret_cast<const int32_t *>(tokenLora.address()), tokens,
                          on.handle());
      };
      double time = timer.time(std::span(&call, 1)).median;
      reportMeasured("lora_mapping_set_device, " + std::to_string(tokens) + " tokens, " +
                         pattern.name,
                     time, "us");
      EXPECT_LE(time, 5.0);
    }
  }
}

/// Makes the context of the device current, as it is in an engine.
class CurrentDevice {
public:
  CurrentDevice() {
    api.check(api.primaryContextRetain(&context, 0), "cuDevicePrimaryCtxRetain");
    api.check(api.contextPush(context), "cuCtxPushCurrent_v2");
  }
  ~CurrentDevice() {
    api.contextPop(&context);
    api.primaryContextRelease(0);
  }
  CurrentDevice(const CurrentDevice &) = delete;
  CurrentDevice &operator=(const CurrentDevice &) = delete;

private:
  const cuda::Api &api = cuda::api();
  cuda::Context context = nullptr;
};

/// A kernel that does nothing, launched by a call of the driver and nothing else.
class BareLaunch {
public:
  explicit BareLaunch(void *stream) {
    const cuda::Api &api = cuda::api();
    api.check(api.moduleLoadData(&module, text), "cuModuleLoadData");
    api.check(api.moduleGetFunction(&function, module, "nothing"), "cuModuleGetFunction");
    config.grid[0] = 64;
    config.grid[1] = config.grid[2] = 1;
    config.block[0] = 128;
    config.block[1] = config.block[2] = 1;
    config.stream = static_cast<cuda::StreamHandle>(stream);
    attribute.id = cuda::launchAttributeProgrammaticStreamSerialization;
    attribute.value.programmaticStreamSerializationAllowed = 1;
    config.attributes = &attribute;
  }
  ~BareLaunch() { cuda::api().moduleUnload(module); }
  BareLaunch(const BareLaunch &) = delete;
  BareLaunch &operator=(const BareLaunch &) = delete;

  void launch(bool programmatic) {
    config.attributeCount = programmatic;
    const cuda::Api &api = cuda::api();
    api.check(api.launchKernel(&config, function, nullptr, nullptr), "cuLaunchKernelEx");
  }

private:
  static constexpr const char *text = ".version 7.0\n.target sm_80\n.address_size 64\n"
                                      ".visible .entry nothing() { ret; }\n";

  cuda::ModuleHandle module = nullptr;
  cuda::FunctionHandle function = nullptr;
  cuda::LaunchAttribute attribute = {};
  cuda::LaunchConfig config = {};
};

/// The host costs with the calls of the real driver, and what of them is the driver's.
TEST_F(GpuCost, HostTimeOfLaunches) {
  Layer layer(*context, *device, plainShape(16, 4096, 16, 256));
  layer.setHost(randomSlots(16, 256, 1));
  lora_launch launch = layer.launch();
  constexpr int samples = 2001;
  auto drain = [&, call = 0]() mutable {
    // Seldom enough that the device is busy, often enough that its queue never fills up.
    if (++call % 64 == 0)
      layer.stream().synchronize();
  };
  CurrentDevice current;
  BareLaunch bare(layer.stream().handle());
  for (uint32_t flags : {0u, uint32_t(LORA_LAUNCH_PROGRAMMATIC)}) {
    launch.flags = flags;
    const std::string suffix = flags ? ", programmatic" : "";
    for (auto [op, name] :
         {std::pair(LORA_SHRINK_EXPAND, "lora_shrink_expand, one launch"),
          std::pair(LORA_SHRINK, "lora_shrink"), std::pair(LORA_EXPAND, "lora_expand")}) {
      context->prepare(op, launch);
      auto function = op == LORA_SHRINK   ? lora_shrink
                      : op == LORA_EXPAND ? lora_expand
                                          : lora_shrink_expand;
      double time = medianHostTime(
          samples, [&] { check(function(context->get(), &launch)); }, drain);
      double driver = medianHostTime(
          samples, [&] { bare.launch(flags != 0); }, drain);
      reportMeasured(std::string("host: ") + name + suffix, time, "us");
      reportMeasured("host: cuLaunchKernelEx of an empty kernel" + suffix, driver, "us");
      EXPECT_LE(time, 3.0) << name << suffix << ": the driver alone takes " << driver << " us";
      EXPECT_LE(time, driver + 0.7) << name << suffix;
    }
  }
}

TEST_F(GpuCost, HostTimeOfMappings) {
  Stream stream(*device);
  for (int32_t tokens : {256, 8192}) {
    auto options = sized<lora_mapping_options>();
    options.max_tokens = 8192;
    options.max_loras = 256;
    TokenMapping mapping(*context, options);
    std::vector<int32_t> slots = randomSlots(tokens, 256, 3);
    double time = medianHostTime(
        501, [&] { mapping.setHost(slots, stream.handle()); },
        [&, call = 0]() mutable {
          if (++call % 4 == 0)
            stream.synchronize();
        });
    reportMeasured("host: lora_mapping_set_host, " + std::to_string(tokens) + " tokens", time,
                   "us");
    EXPECT_LE(time, tokens == 256 ? 10 : 60);
  }
}

TEST_F(GpuCost, FirstCall) {
  std::vector<double> loads, firsts;
  for (int i = 0; i < 11; ++i) {
    std::optional<RuntimeContext> own;
    loads.push_back(medianHostTime(1, [&] {
      own.emplace(sized<lora_context_options>());
      own->loadPack(testPack().c_str());
    }));
    Layer layer(*own, *device, plainShape(16, 4096, 16, 4));
    layer.setHost(randomSlots(16, 4, 1));
    layer.stream().synchronize();
    lora_launch launch = layer.launch();
    firsts.push_back(medianHostTime(1, [&] {
      own->shrinkExpand(launch);
      layer.stream().synchronize();
    }));
  }
  double load = Timing::of(loads).median / 1000, first = Timing::of(firsts).median / 1000;
  reportMeasured("create a context and load the pack", load, "ms");
  reportMeasured("first lora_shrink_expand, until it is done", first, "ms");
  EXPECT_LE(first, 20.0);
}

} // namespace
