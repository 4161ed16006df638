//===- LaunchTest.cpp - Tests of launches over the fake driver ----------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeFixture.h"

#include <thread>

using namespace lora;
using namespace lora::test;

namespace {

class LaunchTest : public RuntimeTest {
protected:
  void SetUp() override {
    createAll();
    std::vector<int32_t> slots = {0, -1, 3, 0, 3, 3};
    ASSERT_EQ(lora_mapping_set_host(objects.mapping, slots.data(), 6, nullptr), LORA_SUCCESS);
    launch = objects.launch();
  }

  void expectFailure(lora_op op, lora_status status, const std::string &message) {
    auto function = op == LORA_SHRINK   ? lora_shrink
                    : op == LORA_EXPAND ? lora_expand
                                        : lora_shrink_expand;
    EXPECT_EQ(function(objects.context, &launch), status);
    EXPECT_EQ(lora_last_error(), message);
    EXPECT_TRUE(driver.launches.empty());
  }

  lora_launch launch;
};

TEST_F(LaunchTest, SingleLaunchWithACluster) {
  driver.recordedArguments = 4;
  launch.flags = LORA_LAUNCH_PROGRAMMATIC;
  launch.s = nullptr;
  ASSERT_EQ(lora_shrink_expand(objects.context, &launch), LORA_SUCCESS) << lora_last_error();
  ASSERT_EQ(driver.launches.size(), 1u);
  const fake::Launch &recorded = driver.launches[0];
  EXPECT_EQ(recorded.entry, "shrink_expand");
  EXPECT_EQ(recorded.stream, launch.stream);
  EXPECT_EQ(recorded.threads, 128u);
  EXPECT_EQ(recorded.cluster, (std::array<unsigned, 3>{8, 1, 1}));
  EXPECT_TRUE(recorded.programmatic);
  // 6 tokens of at most 4 adapters: at most 4 row blocks, in 8 parts each; 2 slices.
  EXPECT_EQ(recorded.grid, (std::array<unsigned, 3>{32, 2, 1}));
  EXPECT_EQ(recorded.values[0], 0x10000u);
  EXPECT_EQ(recorded.values[3], 0x30000u);
}

TEST_F(LaunchTest, OverwritingTakesTwoLaunches) {
  launch.add_inputs = 0;
  ASSERT_EQ(lora_shrink_expand(objects.context, &launch), LORA_SUCCESS) << lora_last_error();
  ASSERT_EQ(driver.launches.size(), 2u);
  EXPECT_EQ(driver.launches[0].entry, "shrink");
  EXPECT_EQ(driver.launches[1].entry, "expand");
  EXPECT_FALSE(driver.launches[0].programmatic);
}

TEST_F(LaunchTest, ActiveAdaptersBoundTheGrid) {
  launch.max_active_loras = 2;
  launch.tokens = 100;
  ASSERT_EQ(lora_shrink(objects.context, &launch), LORA_SUCCESS) << lora_last_error();
  // One adapter could have 99 tokens in 7 blocks, the other one token.
  EXPECT_EQ(driver.launches[0].grid, (std::array<unsigned, 3>{8, 2, 1}));
  driver.launches.clear();
  launch.max_active_loras = 1;
  expectFailure(LORA_SHRINK, LORA_ERROR_INVALID_ARGUMENT,
                "lora_shrink: launch.max_active_loras: expected 2 to 4, found 1");
}

TEST_F(LaunchTest, TokensBeyondThoseOfTheMappingNeedNoRowBlocks) {
  launch.tokens = 1 << 20;
  driver.recordedArguments = 8;
  ASSERT_EQ(lora_shrink(objects.context, &launch), LORA_SUCCESS) << lora_last_error();
  // The mapping has at most 1024 tokens.
  EXPECT_EQ(driver.launches[0].grid, (std::array<unsigned, 3>{(1024 + 4 * 15) / 16, 2, 1}));
  EXPECT_EQ(static_cast<int32_t>(driver.launches[0].values[7]), (1024 + 4 * 15) / 16);
}

TEST_F(LaunchTest, EachKernelReadsTheTableOfItsBlockSize) {
  auto recordedTable = [&](int64_t blockM) {
    PackParts parts;
    parts.add("k", makeManifest("shrink", "sm_90a",
                                {{"ALIGN", 1}, {"RANK_ALIGN", 1}, {"BLOCK_M", blockM}}));
    std::string pack = parts.bytes();
    lora_status status = lora_context_load_pack_memory(objects.context, pack.data(), pack.size());
    if (status != LORA_SUCCESS)
      return std::string(lora_last_error());
    driver.recordedArguments = 8;
    driver.launches.clear();
    EXPECT_EQ(lora_shrink(objects.context, &launch), LORA_SUCCESS) << lora_last_error();
    const auto *entry = static_cast<const int32_t *>(toPointer(driver.launches[0].values[4]));
    return std::to_string(entry[2] - entry[1]) + " of " +
           std::to_string(static_cast<int32_t>(driver.launches[0].values[7]));
  };
  std::vector<int32_t> slots(200, 2);
  ASSERT_EQ(lora_mapping_set_host(objects.mapping, slots.data(), 200, nullptr), LORA_SUCCESS);
  EXPECT_EQ(recordedTable(16), "16 of 16");
  EXPECT_EQ(recordedTable(32), "32 of 10");
  EXPECT_EQ(recordedTable(64), "64 of 7");
  EXPECT_EQ(recordedTable(128), "128 of 5");
  EXPECT_EQ(recordedTable(48), "lora_context_load_pack_memory: pack 'memory': kernel 'k': BLOCK_M: "
                               "expected 16, 32, 64 or 128, found 48");
}

TEST_F(LaunchTest, NoTokensLaunchNothing) {
  ASSERT_EQ(lora_mapping_set_host(objects.mapping, nullptr, 0, nullptr), LORA_SUCCESS);
  launch.x = launch.y = launch.s = nullptr;
  EXPECT_EQ(lora_shrink_expand(objects.context, &launch), LORA_SUCCESS) << lora_last_error();
  EXPECT_TRUE(driver.launches.empty());
}

TEST_F(LaunchTest, ArgumentsAreChecked) {
  launch.x_stride = 100;
  expectFailure(LORA_SHRINK, LORA_ERROR_INVALID_ARGUMENT,
                "lora_shrink: launch.x_stride: expected 256 to 2147483647, found 100");
  launch = objects.launch();
  launch.tokens = 5;
  expectFailure(LORA_SHRINK, LORA_ERROR_INVALID_ARGUMENT,
                "lora_shrink: launch.tokens: expected 6 to 2147483647, found 5");
  launch = objects.launch();
  launch.y = nullptr;
  expectFailure(LORA_EXPAND, LORA_ERROR_INVALID_ARGUMENT,
                "lora_expand: launch.y: expected an address that is a multiple of 2, found 0");
  launch = objects.launch();
  launch.adapters = nullptr;
  expectFailure(LORA_EXPAND, LORA_ERROR_INVALID_ARGUMENT,
                "lora_expand: launch.adapters: expected an address, found NULL");
  launch = objects.launch();
  launch.flags = 8;
  expectFailure(LORA_EXPAND, LORA_ERROR_INVALID_ARGUMENT,
                "lora_expand: launch.flags: expected LORA_LAUNCH_PROGRAMMATIC or 0, found 8");
  launch = objects.launch();
  launch.y = toPointer(0x30002);
  expectFailure(LORA_EXPAND, LORA_ERROR_NO_KERNEL,
                "lora_expand: no kernel for expand of 6 tokens of these types and sizes for sm_90: "
                "lora_explain says why");
}

TEST_F(LaunchTest, NothingIsAllocatedCopiedOrWaitedFor) {
  ASSERT_EQ(lora_prepare(objects.context, LORA_SHRINK_EXPAND, &launch), LORA_SUCCESS);
  driver.callsOf.clear();
  ASSERT_EQ(lora_shrink_expand(objects.context, &launch), LORA_SUCCESS);
  std::map<std::string, int> expected = {
      {"cuCtxGetCurrent", 1}, {"cuCtxPushCurrent_v2", 1}, {"cuLaunchKernelEx", 1}};
  EXPECT_EQ(driver.callsOf, expected);
}

TEST_F(LaunchTest, CapturedLaunchLoadsUnderRelaxedMode) {
  driver.capturing = true;
  driver.callsOf.clear();
  ASSERT_EQ(lora_shrink(objects.context, &launch), LORA_SUCCESS) << lora_last_error();
  EXPECT_EQ(driver.callsOf["cuThreadExchangeStreamCaptureMode"], 1);
  EXPECT_EQ(driver.callsOf["cuModuleLoadData"], 1);
}

TEST_F(LaunchTest, DriverErrorsAreNamed) {
  ASSERT_EQ(lora_prepare(objects.context, LORA_SHRINK, &launch), LORA_SUCCESS);
  driver.callsUntilFailure = 2;
  EXPECT_EQ(lora_shrink(objects.context, &launch), LORA_ERROR_DRIVER);
  EXPECT_STREQ(lora_last_error(), "lora_shrink: cuLaunchKernelEx: CUDA_ERROR_FAKE (injected)");
}

TEST_F(LaunchTest, ManyThreadsLoadAKernelOnce) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&, i] {
      lora_launch own = launch;
      own.stream = toPointer(static_cast<uint64_t>(i));
      const void *weights[] = {toPointer(0x100), toPointer(0x200)};
      lora_adapter adapter = {sizeof(adapter), weights, weights, 8, 1.0f};
      for (int k = 0; k < 50; ++k) {
        EXPECT_EQ(lora_shrink_expand(objects.context, &own), LORA_SUCCESS);
        EXPECT_EQ(lora_adapters_set(objects.adapters, i % 4, &adapter, own.stream), LORA_SUCCESS);
        EXPECT_EQ(lora_context_reserve(objects.context, own.stream, 64, 64), LORA_SUCCESS);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(driver.launches.size(), 400u);
  EXPECT_EQ(driver.callsOf["cuModuleLoadData"], 1);
}

TEST_F(LaunchTest, WorkspaceMustBeReserved) {
  PackParts parts;
  KernelManifest manifest =
      makeManifest("shrink", "sm_90a", {{"ALIGN", 8}, {"RANK_ALIGN", 4}, {"BLOCK_M", 16}});
  manifest.workspaceBytesPerGroup = 8192;
  parts.add("split", manifest);
  std::string pack = parts.bytes();
  ASSERT_EQ(lora_context_load_pack_memory(objects.context, pack.data(), pack.size()), LORA_SUCCESS);
  size_t data = 0, counters = 0;
  ASSERT_EQ(lora_workspace_size(objects.context, LORA_SHRINK, &launch, &data, &counters),
            LORA_SUCCESS);
  // 4 row blocks and 2 slices.
  EXPECT_EQ(data, 8u * 8192);
  EXPECT_EQ(counters, 32u);
  EXPECT_EQ(lora_shrink(objects.context, &launch), LORA_ERROR_NOT_RESERVED);
  ASSERT_EQ(lora_context_reserve(objects.context, launch.stream, data, counters), LORA_SUCCESS);
  EXPECT_EQ(lora_shrink(objects.context, &launch), LORA_SUCCESS) << lora_last_error();
  launch.stream = toPointer(0x78);
  EXPECT_EQ(lora_shrink(objects.context, &launch), LORA_ERROR_NOT_RESERVED);
}

/// Everything an engine does, until something fails.
lora_status runAll(Objects &objects) {
  if (lora_status status = objects.create(usualParts().bytes()))
    return status;
  std::vector<int32_t> slots(64, 1);
  if (lora_status status = lora_mapping_set_host(objects.mapping, slots.data(), 64, nullptr))
    return status;
  const void *weights[] = {toPointer(0x100), toPointer(0x200)};
  lora_adapter adapter = {sizeof(adapter), weights, weights, 8, 1.0f};
  if (lora_status status = lora_adapters_set(objects.adapters, 1, &adapter, nullptr))
    return status;
  if (lora_status status = lora_mapping_set_device(objects.mapping, slots.data(), 64, nullptr))
    return status;
  if (lora_status status = lora_context_reserve(objects.context, nullptr, 100, 100))
    return status;
  lora_launch launch = objects.launch();
  if (lora_status status = lora_shrink_expand(objects.context, &launch))
    return status;
  launch.tokens = 1000;
  return lora_shrink_expand(objects.context, &launch);
}

TEST_F(RuntimeTest, FailureOfEachDriverCallLeaksNothing) {
  int failed = 0;
  for (int call = 0; call < 1000; ++call) {
    driver.callsUntilFailure = call;
    driver.failure = call % 2 ? 2 : 999;
    lora_status status = runAll(objects);
    bool reached = driver.callsUntilFailure < 0;
    driver.callsUntilFailure = -1;
    objects.destroy();
    ASSERT_TRUE(driver.isClean()) << "after the failure of call " << call;
    if (!reached) {
      EXPECT_EQ(status, LORA_SUCCESS);
      break;
    }
    EXPECT_EQ(status, call % 2 ? LORA_ERROR_OUT_OF_MEMORY : LORA_ERROR_DRIVER)
        << "call " << call << ": " << lora_last_error();
    ++failed;
  }
  EXPECT_GT(failed, 40);
}

} // namespace
