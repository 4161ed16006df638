//===- TablesTest.cpp - Tests of mappings and adapters over the fake driver -===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeFixture.h"

using namespace lora;
using namespace lora::test;

namespace {

class TablesTest : public RuntimeTest {
protected:
  void SetUp() override {
    createAll();
    launch = objects.launch();
  }

  /// The arguments that a shrink gets.
  std::vector<uint64_t> shrinkValues() {
    driver.recordedArguments = 8;
    driver.launches.clear();
    EXPECT_EQ(lora_shrink(objects.context, &launch), LORA_SUCCESS) << lora_last_error();
    return driver.launches.at(0).values;
  }

  template <typename T> std::vector<T> read(uint64_t address, size_t count) {
    const T *begin = static_cast<const T *>(toPointer(address));
    return std::vector<T>(begin, begin + count);
  }

  lora_launch launch;
};

using Ints = std::vector<int32_t>;

TEST_F(TablesTest, HostMappingSortsTokens) {
  // 20 tokens of slot 3, and 2 of slot 0.
  Ints slots(24, 3);
  slots[1] = slots[22] = -1;
  slots[2] = slots[4] = 0;
  ASSERT_EQ(lora_mapping_set_host(objects.mapping, slots.data(), 24, nullptr), LORA_SUCCESS);
  launch.max_active_loras = 3;
  std::vector<uint64_t> values = shrinkValues();
  EXPECT_EQ(read<int32_t>(values[3], 6), (Ints{2, 4, 0, 3, 5, 6}));
  EXPECT_EQ(static_cast<int32_t>(values[7]), (24 + 3 * 15) / 16);
  EXPECT_EQ(read<int32_t>(values[4], 16),
            (Ints{0, 0, 2, 0, 3, 2, 18, 0, 3, 18, 22, 0, -1, -1, -1, -1}));

  // A later mapping replaces all of it, also in a staging buffer that had another one.
  launch.tokens = 24;
  slots = {1};
  for (int update = 0; update < 8; ++update)
    ASSERT_EQ(lora_mapping_set_host(objects.mapping, slots.data(), 1, nullptr), LORA_SUCCESS);
  EXPECT_EQ(read<int32_t>(shrinkValues()[4], 16),
            (Ints{1, 0, 1, 0, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1}));
}

TEST_F(TablesTest, LaunchesMayComeBeforeTheFirstMapping) {
  launch.tokens = 100;
  std::vector<uint64_t> values = shrinkValues();
  EXPECT_EQ(read<int32_t>(values[4], 4 * static_cast<size_t>(static_cast<int32_t>(values[7]))),
            Ints(40, -1));
}

TEST_F(TablesTest, BadHostMappingChangesNothing) {
  Ints slots = {2, 2, 4};
  EXPECT_EQ(lora_mapping_set_host(objects.mapping, slots.data(), 2, nullptr), LORA_SUCCESS);
  EXPECT_EQ(lora_mapping_set_host(objects.mapping, slots.data(), 3, nullptr),
            LORA_ERROR_INVALID_ARGUMENT);
  EXPECT_STREQ(lora_last_error(),
               "lora_mapping_set_host: token_lora[2]: expected -1 to 3, found 4");
  EXPECT_EQ(lora_mapping_set_host(objects.mapping, slots.data(), 1025, nullptr),
            LORA_ERROR_INVALID_ARGUMENT);
  EXPECT_STREQ(lora_last_error(), "lora_mapping_set_host: tokens: expected 0 to 1024, found 1025");
  EXPECT_EQ(read<int32_t>(shrinkValues()[4], 3), (Ints{2, 0, 2}));
}

TEST_F(TablesTest, HostUpdatesAreNotCaptured) {
  driver.capturing = true;
  int32_t slot = 0;
  EXPECT_EQ(lora_mapping_set_host(objects.mapping, &slot, 1, nullptr), LORA_ERROR_CAPTURING);
  EXPECT_EQ(lora_adapters_set(objects.adapters, 0, nullptr, nullptr), LORA_ERROR_CAPTURING);
  EXPECT_EQ(lora_context_reserve(objects.context, nullptr, 10, 10), LORA_ERROR_CAPTURING);
}

TEST_F(TablesTest, HostFarAheadIsToldSo) {
  driver.pending = true;
  int32_t slot = 0;
  EXPECT_EQ(lora_mapping_set_host(objects.mapping, &slot, 1, nullptr), LORA_ERROR_BUSY);
  EXPECT_STREQ(lora_last_error(),
               "lora_mapping_set_host: staging_depth = 8 updates are still on their way to the "
               "device: wait for the stream, or create this with more");
}

TEST_F(TablesTest, DeviceMappingLaunchesAKernel) {
  Ints slots(100, 0);
  driver.recordedArguments = 8;
  ASSERT_EQ(lora_mapping_set_device(objects.mapping, slots.data(), 100, toPointer(0x5)),
            LORA_SUCCESS)
      << lora_last_error();
  ASSERT_EQ(driver.launches.size(), 1u);
  EXPECT_EQ(driver.launches[0].entry, "map_tokens");
  EXPECT_EQ(driver.launches[0].values[0], reinterpret_cast<uint64_t>(slots.data()));
  EXPECT_EQ(static_cast<int32_t>(driver.launches[0].values[5]), 100);
  EXPECT_EQ(static_cast<int32_t>(driver.launches[0].values[6]), 1024);
  EXPECT_EQ(static_cast<int32_t>(driver.launches[0].values[7]), 4);
  int32_t bad = -1;
  EXPECT_EQ(lora_mapping_check(objects.mapping, nullptr, &bad), LORA_SUCCESS);
  EXPECT_EQ(bad, 0);
}

TEST_F(TablesTest, V1MappingIsMadeFromTheSlotsOfItsTokens) {
  Ints slots(100, 0);
  driver.recordedArguments = 8;
  lora_v1_mapping v1 = {sizeof(v1), 100, slots.data(), nullptr, nullptr, nullptr, nullptr};
  ASSERT_EQ(lora_mapping_set_v1(objects.mapping, &v1, toPointer(0x5)), LORA_SUCCESS)
      << lora_last_error();
  EXPECT_EQ(driver.launches[0].entry, "map_tokens");
  EXPECT_EQ(driver.launches[0].values[0], reinterpret_cast<uint64_t>(slots.data()));
  EXPECT_EQ(driver.launches[0].stream, toPointer(0x5));
  v1.tokens = 1025;
  EXPECT_EQ(lora_mapping_set_v1(objects.mapping, &v1, nullptr), LORA_ERROR_INVALID_ARGUMENT);
  EXPECT_STREQ(lora_last_error(), "lora_mapping_set_v1: tokens: expected 0 to 1024, found 1025");
  v1.token_lora_mapping = nullptr;
  EXPECT_EQ(lora_mapping_set_v1(objects.mapping, &v1, nullptr), LORA_ERROR_INVALID_ARGUMENT);
}

TEST_F(TablesTest, SlotsAreSwapped) {
  int32_t token = 2;
  ASSERT_EQ(lora_mapping_set_host(objects.mapping, &token, 1, nullptr), LORA_SUCCESS);
  const void *a[] = {toPointer(0x100), toPointer(0x200)};
  const void *b[] = {toPointer(0x300), toPointer(0x400)};
  lora_adapter adapter = {sizeof(adapter), a, b, 8, 0.5f};
  ASSERT_EQ(lora_adapters_set(objects.adapters, 2, &adapter, nullptr), LORA_SUCCESS)
      << lora_last_error();
  std::vector<uint64_t> values = shrinkValues();
  using Pointers = std::vector<uint64_t>;
  EXPECT_EQ(read<uint64_t>(values[1], 8), (Pointers{0, 0, 0x100, 0, 0, 0, 0x200, 0}));
  EXPECT_EQ(read<int32_t>(values[5], 4), (Ints{0, 0, 8, 0}));
  EXPECT_EQ(read<float>(values[6], 4), (std::vector<float>{0, 0, 0.5f, 0}));
  ASSERT_EQ(lora_adapters_set(objects.adapters, 2, nullptr, nullptr), LORA_SUCCESS);
  EXPECT_EQ(read<uint64_t>(values[1], 8), Pointers(8, 0));
}

TEST_F(TablesTest, StackedTensors) {
  int32_t token = 0;
  ASSERT_EQ(lora_mapping_set_host(objects.mapping, &token, 1, nullptr), LORA_SUCCESS);
  const void *a[] = {toPointer(0x1000), toPointer(0x2000)};
  int32_t ranks[] = {8, 0, 16, 8};
  float scalings[] = {1, 2, 3, 4};
  ASSERT_EQ(lora_adapters_set_stacked(objects.adapters, a, 64, a, 64, ranks, scalings, nullptr),
            LORA_SUCCESS)
      << lora_last_error();
  EXPECT_EQ(read<uint64_t>(shrinkValues()[1], 8),
            (std::vector<uint64_t>{0x1000, 0, 0x1100, 0x1180, 0x2000, 0, 0x2100, 0x2180}));
}

TEST_F(TablesTest, AdaptersAreChecked) {
  const void *a[] = {toPointer(0x100), toPointer(0x208)};
  lora_adapter adapter = {sizeof(adapter), a, a, 12, 0.5f};
  EXPECT_EQ(lora_adapters_set(objects.adapters, 2, &adapter, nullptr), LORA_ERROR_INVALID_ARGUMENT);
  EXPECT_STREQ(lora_last_error(), "lora_adapters_set: adapter.rank: expected a multiple of "
                                  "rank_multiple = 8, found 12");
  adapter.rank = 24;
  EXPECT_EQ(lora_adapters_set(objects.adapters, 2, &adapter, nullptr), LORA_ERROR_INVALID_ARGUMENT);
  adapter.rank = 8;
  EXPECT_EQ(lora_adapters_set(objects.adapters, 2, &adapter, nullptr), LORA_ERROR_INVALID_ARGUMENT);
  EXPECT_STREQ(lora_last_error(), "lora_adapters_set: adapter.a[1]: expected an address that is a "
                                  "multiple of weight_alignment = 16, found 520");
  EXPECT_EQ(lora_adapters_set(objects.adapters, 4, &adapter, nullptr), LORA_ERROR_INVALID_ARGUMENT);
}

} // namespace
