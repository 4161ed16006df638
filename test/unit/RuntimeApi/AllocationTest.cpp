//===- AllocationTest.cpp - Launches allocate nothing -------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeFixture.h"

#include <atomic>
#include <cstdlib>
#include <new>

// Replaces the operator of the whole process, the library included.
static std::atomic<long> allocations = 0;

void *operator new(size_t size) {
  ++allocations;
  if (void *memory = std::malloc(size))
    return memory;
  throw std::bad_alloc();
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }

using namespace lora;
using namespace lora::test;

namespace {

TEST_F(RuntimeTest, LaunchesAndMappingsAllocateNothing) {
  createAll();
  lora_launch launch = objects.launch();
  std::vector<int32_t> slots(64, 1);
  ASSERT_EQ(lora_mapping_set_host(objects.mapping, slots.data(), 64, nullptr), LORA_SUCCESS);
  for (lora_op op : {LORA_SHRINK, LORA_EXPAND, LORA_SHRINK_EXPAND})
    ASSERT_EQ(lora_prepare(objects.context, op, &launch), LORA_SUCCESS) << lora_last_error();

  // Recording launches would allocate in the fake driver.
  driver.recordedArguments = -1;
  lora_status status = LORA_SUCCESS;
  long before = allocations;
  for (int i = 0; i < 1000 && status == LORA_SUCCESS; ++i)
    for (auto op : {lora_shrink, lora_expand, lora_shrink_expand})
      if (status == LORA_SUCCESS)
        status = op(objects.context, &launch);
  if (status == LORA_SUCCESS)
    status = lora_mapping_set_host(objects.mapping, slots.data(), 64, nullptr);
  long during = allocations - before;
  driver.recordedArguments = 0;
  EXPECT_EQ(status, LORA_SUCCESS) << lora_last_error();
  EXPECT_EQ(during, 0);
  EXPECT_GT(before, 0);
}

} // namespace
