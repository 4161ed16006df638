//===- MemoryTest.cpp - Tests of the registered buffers -------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Interpreter/Memory.h"
#include "lora/Support/Error.h"

#include "gtest/gtest.h"

using lora::interpreter::Memory;

namespace {

/// Buffers of 16 bytes at 32 and 80 of `storage`.
struct MemoryTest : ::testing::Test {
  MemoryTest() {
    memory.addBuffer(storage + 32, 16, "x", true);
    memory.addBuffer(storage + 80, 16, "y", false);
  }

  uint64_t address(int64_t offset) const { return reinterpret_cast<uint64_t>(storage) + offset; }

  char storage[128] = {};
  Memory memory;
};

TEST_F(MemoryTest, FindsOnlyWhatLiesInsideOneBuffer) {
  ASSERT_NE(memory.find(address(32), 16), nullptr);
  EXPECT_EQ(memory.find(address(32), 16)->name, "x");
  EXPECT_TRUE(memory.find(address(44), 4)->writable);
  EXPECT_FALSE(memory.find(address(80), 1)->writable);
  EXPECT_EQ(memory.find(address(31), 4), nullptr);
  EXPECT_EQ(memory.find(address(46), 4), nullptr);
  EXPECT_EQ(memory.find(address(48), 1), nullptr);
  EXPECT_EQ(memory.find(address(32), 17), nullptr);
  EXPECT_EQ(memory.find(0, 8), nullptr);
  EXPECT_EQ(memory.find(UINT64_MAX, 8), nullptr);
}

TEST_F(MemoryTest, DescribesAddressesByTheNearestBuffer) {
  EXPECT_EQ(memory.describe(address(30)), "2 bytes before the start of buffer 'x' of 16 bytes");
  EXPECT_EQ(memory.describe(address(52)), "4 bytes after the end of buffer 'x' of 16 bytes");
  EXPECT_EQ(memory.describe(address(76)), "4 bytes before the start of buffer 'y' of 16 bytes");
  EXPECT_EQ(memory.describe(address(46)), "2 bytes before the end of buffer 'x' of 16 bytes");
  EXPECT_EQ(memory.describe(address(100)), "4 bytes after the end of buffer 'y' of 16 bytes");
  EXPECT_EQ(Memory().describe(1), "in no buffer: none is registered");
}

TEST_F(MemoryTest, RejectsOverlapsAndNull) {
  EXPECT_THROW(memory.addBuffer(storage + 40, 4, "z", true), lora::Error);
  EXPECT_THROW(memory.addBuffer(storage + 24, 9, "z", true), lora::Error);
  EXPECT_THROW(memory.addBuffer(storage + 32, 16, "z", true), lora::Error);
  EXPECT_THROW(memory.addBuffer(nullptr, 4, "z", true), lora::Error);
  EXPECT_NO_THROW(memory.addBuffer(storage + 48, 32, "z", true));
  EXPECT_NO_THROW(memory.addBuffer(nullptr, 0, "empty", true));
}

} // namespace
