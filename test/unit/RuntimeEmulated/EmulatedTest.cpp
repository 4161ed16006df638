//===- EmulatedTest.cpp - Results of the C interface on the emulator ----===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaApi.h"
#include "lora/Problem/LoraProblem.h"
#include "lora/runtime.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

using namespace lora;

namespace {

void check(lora_status status) {
  if (status != LORA_SUCCESS)
    throw std::runtime_error(lora_last_error());
}

/// The buffers of problems in the memory of the emulated device.
class DeviceCopies {
public:
  uint64_t add(const HostBuffer &buffer) {
    cuda::DevicePointer &address = places[&buffer];
    if (!address)
      api.check(api.memoryAllocate(&address, buffer.bytes().size()), "cuMemAlloc_v2");
    return address;
  }

  void upload(const LoraProblem &problem) {
    for (const HostBuffer &buffer : problem.buffers())
      api.check(
          api.copyToDevice(add(buffer), buffer.bytes().data(), buffer.bytes().size(), nullptr),
          "cuMemcpyHtoDAsync_v2");
  }

  void download(HostBuffer &buffer) {
    api.check(api.copyToHost(buffer.bytes().data(), add(buffer), buffer.bytes().size(), nullptr),
              "cuMemcpyDtoHAsync_v2");
  }

  const int32_t *copy(const std::vector<int32_t> &values) {
    cuda::DevicePointer address = 0;
    api.check(api.memoryAllocate(&address, 4 * values.size()), "cuMemAlloc_v2");
    api.check(api.copyToDevice(address, values.data(), 4 * values.size(), nullptr),
              "cuMemcpyHtoDAsync_v2");
    return reinterpret_cast<const int32_t *>(address);
  }

  uint64_t find(LoraProblem &problem, std::string_view name) {
    for (HostBuffer &buffer : problem.buffers())
      if (buffer.name() == name)
        return add(buffer);
    throw std::runtime_error("no buffer " + std::string(name));
  }

private:
  cuda::Api api = cuda::loadApi(EMULATED_DRIVER);
  std::map<const HostBuffer *, cuda::DevicePointer> places;
};

LoraShape layerShape(int64_t tokens, bool addInputs) {
  LoraShape shape;
  shape.tokens = tokens;
  shape.hidden = 256;
  shape.maxLoras = 4;
  shape.maxRank = 16;
  shape.ranks = {16, 8, 0, 16};
  shape.sliceWidths = {128, 64};
  shape.addInputs = addInputs;
  return shape;
}

std::vector<int32_t> mappingOf(int64_t tokens) {
  constexpr int32_t slots[] = {3, -1, 0, 1, 3, 2, 1, 0, 0};
  std::vector<int32_t> mapping;
  for (int64_t i = 0; i < tokens; ++i)
    mapping.push_back(slots[i % std::size(slots)]);
  return mapping;
}

/// Both halves of a layer, on the device and in the runtime.
class Layer {
public:
  Layer(int64_t tokens, bool addInputs)
      : shape(layerShape(tokens, addInputs)), tokenLora(mappingOf(tokens)),
        shrink(LoraOp::Shrink, shape, tokenLora, 1), expand(LoraOp::Expand, shape, tokenLora, 2) {
    lora_context_options options = {};
    options.size = sizeof(options);
    options.driver_library = EMULATED_DRIVER;
    check(lora_context_create(&options, &context));
    check(lora_context_load_pack(context, EMULATOR_PACK));
    lora_mapping_options batch = {sizeof(batch), static_cast<int32_t>(tokens), shape.maxLoras, 0};
    check(lora_mapping_create(context, &batch, &mapping));
    check(lora_mapping_set_host(mapping, tokenLora.data(), static_cast<int32_t>(tokens), nullptr));
    auto translate = [&](const HostBuffer &buffer) { return copies.add(buffer); };
    shrink.arguments(16, translate);
    expand.arguments(16, translate);
    copies.upload(shrink);
    copies.upload(expand);
    putAdapters();
  }
  ~Layer() {
    lora_mapping_destroy(mapping);
    lora_adapters_destroy(adapters);
    lora_context_destroy(context);
  }

  lora_launch launch() {
    lora_launch launch = {};
    launch.size = sizeof(launch);
    launch.adapters = adapters;
    launch.mapping = mapping;
    launch.add_inputs = shape.addInputs;
    launch.x = reinterpret_cast<const void *>(copies.find(shrink, "x"));
    launch.y = reinterpret_cast<void *>(copies.find(expand, "y"));
    return launch;
  }

  /// The tokens whose slot holds an adapter, or does not.
  std::vector<int64_t> tokensWithAdapter() const {
    std::vector<int64_t> tokens;
    for (size_t i = 0; i < tokenLora.size(); ++i)
      if (tokenLora[i] >= 0 && shape.ranks[size_t(tokenLora[i])] > 0)
        tokens.push_back(static_cast<int64_t>(i));
    return tokens;
  }

  LoraShape shape;
  std::vector<int32_t> tokenLora;
  LoraProblem shrink, expand;
  DeviceCopies copies;
  lora_context *context = nullptr;
  lora_mapping *mapping = nullptr;
  lora_adapters *adapters = nullptr;

private:
  template <typename T> const T *host(LoraProblem &problem, std::string_view name) {
    auto found = std::find_if(problem.buffers().begin(), problem.buffers().end(),
                              [&](HostBuffer &buffer) { return buffer.name() == name; });
    return found->template as<T>();
  }

  void putAdapters() {
    lora_adapters_options layer = {};
    layer.size = sizeof(layer);
    layer.slices = shape.slices();
    layer.max_loras = shape.maxLoras;
    layer.max_rank = shape.maxRank;
    layer.hidden = static_cast<int32_t>(shape.hidden);
    layer.slice_widths = shape.sliceWidths.data();
    check(lora_adapters_create(context, &layer, nullptr, &adapters));
    auto *tableA = host<const void *>(shrink, "a"), *tableB = host<const void *>(expand, "b");
    const float *scalings = host<float>(shrink, "scalings");
    for (int32_t slot = 0; slot < shape.maxLoras; ++slot) {
      if (shape.ranks[size_t(slot)] == 0)
        continue;
      const void *a[2], *b[2];
      for (int32_t slice = 0; slice < shape.slices(); ++slice) {
        a[slice] = tableA[slice * shape.maxLoras + slot];
        b[slice] = tableB[slice * shape.maxLoras + slot];
      }
      lora_adapter adapter = {sizeof(adapter), a, b, shape.ranks[size_t(slot)], scalings[slot]};
      check(lora_adapters_set(adapters, slot, &adapter, nullptr));
    }
  }
};

TEST(Emulated, Shrink) {
  Layer layer(40, true);
  lora_launch launch = layer.launch();
  launch.s = reinterpret_cast<float *>(layer.copies.find(layer.shrink, "s"));
  ASSERT_EQ(lora_shrink(layer.context, &launch), LORA_SUCCESS) << lora_last_error();
  layer.copies.download(layer.shrink.output());
  EXPECT_NO_THROW(layer.shrink.checkUntouched());
  EXPECT_NO_THROW(layer.shrink.checkWritten());
  EXPECT_LT(layer.shrink.error(layer.tokensWithAdapter()), 1e-5);
}

class EmulatedExpand : public testing::TestWithParam<bool> {};

TEST_P(EmulatedExpand, MatchesTheReference) {
  Layer layer(40, GetParam());
  lora_launch launch = layer.launch();
  launch.s = reinterpret_cast<float *>(layer.copies.find(layer.expand, "s"));
  ASSERT_EQ(lora_expand(layer.context, &launch), LORA_SUCCESS) << lora_last_error();
  layer.copies.download(layer.expand.output());
  EXPECT_NO_THROW(layer.expand.checkUntouched());
  EXPECT_LT(layer.expand.error(layer.tokensWithAdapter()), 2e-3);
}

INSTANTIATE_TEST_SUITE_P(AddInputs, EmulatedExpand, testing::Bool());

/// 12 tokens take one launch, 40 tokens two.
class EmulatedChain : public testing::TestWithParam<int> {};

TEST_P(EmulatedChain, MatchesTheReference) {
  Layer layer(GetParam(), true);
  lora_launch launch = layer.launch();
  launch.s = reinterpret_cast<float *>(layer.copies.find(layer.shrink, "s"));
  char text[4096];
  ASSERT_EQ(lora_explain(layer.context, LORA_SHRINK_EXPAND, &launch, text, sizeof(text), nullptr),
            LORA_SUCCESS);
  EXPECT_EQ(std::string(text).find("shrink_expand uses") != std::string::npos, GetParam() == 12);
  ASSERT_EQ(lora_shrink_expand(layer.context, &launch), LORA_SUCCESS) << lora_last_error();
  layer.copies.download(layer.expand.output());
  EXPECT_NO_THROW(layer.expand.checkUntouched());
  EXPECT_LT(layer.expand.chainError(layer.shrink, layer.tokensWithAdapter()), 2e-3);
}

INSTANTIATE_TEST_SUITE_P(Tokens, EmulatedChain, testing::Values(12, 40));

/// The ways to set a mapping; the graph is captured before with another one.
enum class Source { Host, Device, CapturedDevice, V1 };

class EmulatedMapping : public testing::TestWithParam<Source> {
protected:
  /// Sets the mapping of the layer to that of its tokens, from a copy on the device if need be.
  lora_status set(Layer &layer) {
    auto tokens = static_cast<int32_t>(layer.tokenLora.size());
    const int32_t *slots = layer.copies.copy(layer.tokenLora);
    lora_v1_mapping v1 = {sizeof(v1), tokens, slots, nullptr, nullptr, nullptr, nullptr};
    switch (GetParam()) {
    case Source::Host:
      return lora_mapping_set_host(layer.mapping, layer.tokenLora.data(), tokens, nullptr);
    case Source::V1:
      return lora_mapping_set_v1(layer.mapping, &v1, nullptr);
    default:
      return lora_mapping_set_device(layer.mapping, slots, tokens, nullptr);
    }
  }
};

TEST_P(EmulatedMapping, ReplaysFollowTheMapping) {
  Layer layer(40, true);
  lora_launch launch = layer.launch();
  launch.tokens = 40;
  launch.s = reinterpret_cast<float *>(layer.copies.find(layer.shrink, "s"));
  const std::vector<int32_t> other(40, 1);
  ASSERT_EQ(lora_mapping_set_host(layer.mapping, other.data(), 40, nullptr), LORA_SUCCESS);

  cuda::Api api = cuda::loadApi(EMULATED_DRIVER);
  cuda::StreamHandle stream = nullptr;
  cuda::GraphHandle graph = nullptr;
  cuda::ExecutableGraphHandle executable = nullptr;
  if (GetParam() != Source::CapturedDevice) {
    ASSERT_EQ(set(layer), LORA_SUCCESS) << lora_last_error();
  }
  api.check(api.streamBeginCapture(stream, 0), "cuStreamBeginCapture");
  if (GetParam() == Source::CapturedDevice) {
    ASSERT_EQ(set(layer), LORA_SUCCESS) << lora_last_error();
  }
  ASSERT_EQ(lora_shrink_expand(layer.context, &launch), LORA_SUCCESS) << lora_last_error();
  api.check(api.streamEndCapture(stream, &graph), "cuStreamEndCapture");
  api.check(api.graphInstantiate(&executable, graph, 0), "cuGraphInstantiate");
  api.check(api.graphLaunch(executable, stream), "cuGraphLaunch");
  api.executableGraphDestroy(executable);
  api.graphDestroy(graph);

  layer.copies.download(layer.expand.output());
  EXPECT_NO_THROW(layer.expand.checkUntouched());
  EXPECT_LT(layer.expand.chainError(layer.shrink, layer.tokensWithAdapter()), 2e-3);
}

INSTANTIATE_TEST_SUITE_P(Sources, EmulatedMapping,
                         testing::Values(Source::Host, Source::Device, Source::CapturedDevice,
                                         Source::V1));

TEST(Emulated, SlotsOutOfRangeOnTheDeviceAreCounted) {
  Layer layer(12, true);
  std::vector<int32_t> slots = layer.tokenLora;
  // These tokens have no adapter in the reference, and get none here.
  slots[1] = 4;
  slots[10] = -7;
  layer.tokenLora[10] = -1;
  LoraProblem shrink(LoraOp::Shrink, layer.shape, layer.tokenLora, 1);
  int32_t bad = -1;
  ASSERT_EQ(lora_mapping_set_device(layer.mapping, layer.copies.copy(slots), 12, nullptr),
            LORA_SUCCESS)
      << lora_last_error();
  ASSERT_EQ(lora_mapping_check(layer.mapping, nullptr, &bad), LORA_SUCCESS);
  EXPECT_EQ(bad, 2);
  lora_launch launch = layer.launch();
  launch.s = reinterpret_cast<float *>(layer.copies.find(layer.shrink, "s"));
  ASSERT_EQ(lora_shrink(layer.context, &launch), LORA_SUCCESS) << lora_last_error();
  layer.copies.download(layer.shrink.output());
  std::copy_n(layer.shrink.output().bytes().data(), shrink.output().bytes().size(),
              shrink.output().bytes().data());
  EXPECT_NO_THROW(shrink.checkUntouched());
  EXPECT_NO_THROW(shrink.checkWritten());
  ASSERT_EQ(lora_mapping_set_host(layer.mapping, slots.data(), 1, nullptr), LORA_SUCCESS);
  ASSERT_EQ(lora_mapping_check(layer.mapping, nullptr, &bad), LORA_SUCCESS);
  EXPECT_EQ(bad, 0);
}

TEST(Emulated, WeightsThatAreTooShortAreFound) {
  Layer layer(12, true);
  // An adapter of rank 16 in memory for x of 12 tokens: the kernel would read behind it.
  const void *x = layer.launch().x;
  const void *weights[] = {x, x};
  lora_adapter adapter = {sizeof(adapter), weights, weights, 16, 1.0f};
  ASSERT_EQ(lora_adapters_set(layer.adapters, 0, &adapter, nullptr), LORA_SUCCESS);
  lora_launch launch = layer.launch();
  EXPECT_EQ(lora_shrink_expand(layer.context, &launch), LORA_ERROR_DRIVER);
  EXPECT_NE(std::string(lora_last_error()).find("CUDA_ERROR_LAUNCH_FAILED"), std::string::npos)
      << lora_last_error();
}

} // namespace
