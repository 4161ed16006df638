//===- StatusTest.cpp - Errors of the C interface over the real driver --===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GpuFixture.h"
#include "lora/Support/Files.h"

using namespace lora;
using namespace lora::gpu;

namespace {

class GpuStatus : public GpuTest {
protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (!IsSkipped())
      layer.emplace(*context, *device, plainShape(12, 256, 16, 4));
  }

  std::optional<Layer> layer;
};

TEST_F(GpuStatus, NoDriver) {
  auto options = sized<lora_context_options>();
  options.driver_library = "liblora_no_such_driver.so";
  lora_context *none = nullptr;
  EXPECT_EQ(lora_context_create(&options, &none), LORA_ERROR_NO_DRIVER);
}

TEST_F(GpuStatus, NoSuchDevice) {
  auto options = sized<lora_context_options>();
  options.device = Device::count();
  lora_context *none = nullptr;
  EXPECT_EQ(lora_context_create(&options, &none), LORA_ERROR_INVALID_ARGUMENT);
}

TEST_F(GpuStatus, CurrentContextIsLeftAsItIs) {
  // Neither this test nor the library leaves a context current in this thread.
  lora_context *none = nullptr;
  EXPECT_EQ(lora_context_create(nullptr, &none), LORA_ERROR_INVALID_ARGUMENT) << lora_last_error();
  layer->setHost(randomSlots(12, 4, 1));
  lora_launch launch = layer->launch();
  EXPECT_EQ(lora_shrink_expand(context->get(), &launch), LORA_SUCCESS) << lora_last_error();
  EXPECT_EQ(lora_context_create(nullptr, &none), LORA_ERROR_INVALID_ARGUMENT);
}

TEST_F(GpuStatus, DamagedCodeIsFoundAtTheFirstLaunch) {
  std::string bytes = readFile(testPack());
  // The code of all kernels lies between the header and the index.
  for (size_t i = 80; i < bytes.size() / 2; i += 64)
    bytes[i] ^= 1;
  RuntimeContext damaged(sized<lora_context_options>());
  ASSERT_EQ(lora_context_load_pack_memory(damaged.get(), bytes.data(), bytes.size()), LORA_SUCCESS)
      << lora_last_error();
  Layer own(damaged, *device, plainShape(12, 256, 16, 4));
  lora_launch launch = own.launch();
  EXPECT_EQ(lora_shrink_expand(damaged.get(), &launch), LORA_ERROR_BAD_PACK);
  EXPECT_NE(std::string(lora_last_error()).find("damaged"), std::string::npos) << lora_last_error();
  bytes.resize(bytes.size() - 1);
  EXPECT_EQ(lora_context_load_pack_memory(damaged.get(), bytes.data(), bytes.size()),
            LORA_ERROR_BAD_PACK);
}

TEST_F(GpuStatus, NoKernel) {
  RuntimeContext empty(sized<lora_context_options>());
  Layer own(empty, *device, plainShape(12, 256, 16, 4));
  lora_launch launch = own.launch();
  EXPECT_EQ(lora_shrink(empty.get(), &launch), LORA_ERROR_NO_KERNEL);
  EXPECT_EQ(lora_mapping_set_device(own.mapping(), own.upload(randomSlots(12, 4, 1)), 12, nullptr),
            LORA_ERROR_NO_KERNEL);
}

TEST_F(GpuStatus, OutOfMemory) {
  if (isEmulator())
    GTEST_SKIP() << "not for the emulator";
  EXPECT_EQ(lora_context_reserve(context->get(), nullptr, size_t(1) << 50, 0),
            LORA_ERROR_OUT_OF_MEMORY)
      << lora_last_error();
}

TEST_F(GpuStatus, HostUpdatesAreNotCaptured) {
  std::vector<int32_t> slots = randomSlots(12, 4, 1);
  lora_launch launch = layer->launch();
  context->prepare(LORA_SHRINK_EXPAND, launch);
  Graph graph(layer->stream(), [&] {
    EXPECT_EQ(lora_mapping_set_host(layer->mapping(), slots.data(), 12, launch.stream),
              LORA_ERROR_CAPTURING);
    EXPECT_EQ(lora_adapters_set(layer->adapters(), 0, nullptr, launch.stream),
              LORA_ERROR_CAPTURING);
    EXPECT_EQ(lora_context_reserve(context->get(), launch.stream, 64, 64), LORA_ERROR_CAPTURING);
    context->shrinkExpand(launch);
  });
  layer->setHost(slots);
  layer->reset();
  graph.launch(layer->stream());
  EXPECT_NO_THROW(layer->check(LORA_SHRINK_EXPAND, slots));
}

TEST_F(GpuStatus, HostFarAheadIsToldSo) {
  if (isEmulator())
    GTEST_SKIP() << "the emulator never lags behind";
  lora_launch launch = layer->launch();
  context->prepare(LORA_SHRINK_EXPAND, launch);
  Graph graph(layer->stream(), [&] {
    for (int i = 0; i < 10000; ++i)
      context->shrinkExpand(launch);
  });
  graph.launch(layer->stream());
  std::vector<int32_t> slots = randomSlots(12, 4, 1);
  lora_status status = LORA_SUCCESS;
  for (int i = 0; i < 9 && status == LORA_SUCCESS; ++i)
    status = lora_mapping_set_host(layer->mapping(), slots.data(), 12, launch.stream);
  EXPECT_EQ(status, LORA_ERROR_BUSY) << lora_last_error();
  layer->stream().synchronize();
  EXPECT_EQ(lora_mapping_set_host(layer->mapping(), slots.data(), 12, launch.stream), LORA_SUCCESS);
}

TEST_F(GpuStatus, FirstLaunchOfAKernelMayBeCaptured) {
  RuntimeContext fresh(sized<lora_context_options>());
  fresh.loadPack(testPack().c_str());
  Layer own(fresh, *device, plainShape(12, 256, 16, 4));
  std::vector<int32_t> slots = randomSlots(12, 4, 3);
  own.setHost(slots);
  own.stream().synchronize();
  lora_launch launch = own.launch();
  Graph graph(own.stream(), [&] { fresh.shrinkExpand(launch); });
  own.reset();
  graph.launch(own.stream());
  EXPECT_NO_THROW(own.check(LORA_SHRINK_EXPAND, slots));
}

} // namespace
