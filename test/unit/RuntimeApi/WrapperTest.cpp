//===- WrapperTest.cpp - Tests of runtime.hpp over the fake driver ------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/runtime.hpp"

#include "RuntimeFixture.h"

using namespace lora;
using namespace lora::test;

namespace {

TEST_F(RuntimeTest, WrapperOwnsItsObjects) {
  std::string pack = usualParts().bytes();
  RuntimeContext context(fakeOptions());
  check(lora_context_load_pack_memory(context.get(), pack.data(), pack.size()));
  EXPECT_EQ(context.target(), "sm_90");

  int32_t widths[] = {64};
  auto layer = sized<lora_adapters_options>();
  layer.slices = 1;
  layer.max_loras = 2;
  layer.max_rank = 16;
  layer.hidden = 256;
  layer.slice_widths = widths;
  AdapterSlots adapters(context, layer, nullptr);
  const void *weights[] = {toPointer(0x100)};
  adapters.set(1, {sizeof(lora_adapter), weights, weights, 8, 1.0f}, nullptr);
  adapters.clear(0, nullptr);

  auto batch = sized<lora_mapping_options>();
  batch.max_tokens = 8;
  batch.max_loras = 2;
  TokenMapping mapping(context, batch);
  std::vector<int32_t> slots = {1, -1};
  mapping.setHost(slots, nullptr);

  lora_launch launch = objects.launch();
  launch.adapters = adapters.get();
  launch.mapping = mapping.get();
  context.prepare(LORA_SHRINK_EXPAND, launch);
  context.shrinkExpand(launch);
  EXPECT_EQ(driver.launches.size(), 1u);
  EXPECT_TRUE(context.explain(LORA_EXPAND, launch).ends_with("ALIGN=8\n"));
}

TEST_F(RuntimeTest, WrapperThrowsTheMessage) {
  try {
    RuntimeContext context(fakeOptions());
    context.loadPack("/no/such.pack");
    FAIL();
  } catch (const RuntimeError &error) {
    EXPECT_EQ(error.status, LORA_ERROR_BAD_PACK);
    EXPECT_STREQ(error.what(), "lora_context_load_pack: pack '/no/such.pack': cannot open: No such "
                               "file or directory");
  }
}

} // namespace
