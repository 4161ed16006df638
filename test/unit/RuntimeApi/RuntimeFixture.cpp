//===- RuntimeFixture.cpp - A context over the fake driver --------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeFixture.h"

using namespace lora;
using namespace lora::test;

lora_status Objects::create(const std::string &pack) {
  lora_context_options options = fakeOptions();
  if (lora_status status = lora_context_create(&options, &context))
    return status;
  if (lora_status status = lora_context_load_pack_memory(context, pack.data(), pack.size()))
    return status;
  int32_t widths[] = {64, 32};
  lora_adapters_options adapterOptions = {};
  adapterOptions.size = sizeof(adapterOptions);
  adapterOptions.slices = 2;
  adapterOptions.max_loras = 4;
  adapterOptions.max_rank = 16;
  adapterOptions.hidden = 256;
  adapterOptions.slice_widths = widths;
  if (lora_status status = lora_adapters_create(context, &adapterOptions, nullptr, &adapters))
    return status;
  lora_mapping_options mappingOptions = {};
  mappingOptions.size = sizeof(mappingOptions);
  mappingOptions.max_tokens = 1024;
  mappingOptions.max_loras = 4;
  return lora_mapping_create(context, &mappingOptions, &mapping);
}

lora_launch Objects::launch() const {
  lora_launch launch = {};
  launch.size = sizeof(launch);
  launch.adapters = adapters;
  launch.mapping = mapping;
  launch.add_inputs = 1;
  launch.x = toPointer(0x10000);
  launch.s = static_cast<float *>(toPointer(0x20000));
  launch.y = toPointer(0x30000);
  launch.stream = toPointer(0x77);
  return launch;
}

void Objects::destroy() {
  lora_mapping_destroy(mapping);
  lora_adapters_destroy(adapters);
  lora_context_destroy(context);
  *this = {};
}

RuntimeTest::RuntimeTest() {
  driver.callsUntilFailure = -1;
  driver.failure = 999;
  driver.capturing = driver.pending = false;
  driver.version = 13000;
  driver.capability = 90;
  driver.maxSharedBytes = 227 << 10;
  driver.initResult = 0;
  driver.recordedArguments = 0;
  driver.launches.clear();
  driver.callsOf.clear();
  driver.functionAttributes.clear();
}

void RuntimeTest::TearDown() {
  driver.callsUntilFailure = -1;
  objects.destroy();
  EXPECT_TRUE(driver.isClean());
}
