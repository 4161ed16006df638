//===- RuntimeFixture.h - A context over the fake driver ----------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "FakeDriver.h"
#include "TestPack.h"
#include "lora/runtime.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

namespace lora::test {

inline void *toPointer(uint64_t address) { return reinterpret_cast<void *>(address); }

inline lora_context_options fakeOptions() {
  lora_context_options options = {};
  options.size = sizeof(options);
  options.driver_library = FAKE_DRIVER;
  return options;
}

/// A context, adapters and a mapping; each create() returns the first status that is no success.
struct Objects {
  lora_context *context = nullptr;
  lora_adapters *adapters = nullptr;
  lora_mapping *mapping = nullptr;

  lora_status create(const std::string &pack);
  /// A launch over aligned addresses.
  lora_launch launch() const;
  void destroy();
};

/// Resets the fake driver, and checks that nothing is left when the test ends.
class RuntimeTest : public testing::Test {
protected:
  RuntimeTest();
  void TearDown() override;

  /// create() with the usual pack.
  void createAll() {
    ASSERT_EQ(objects.create(usualParts().bytes()), LORA_SUCCESS) << lora_last_error();
  }

  fake::Driver &driver = *fakeDriver();
  Objects objects;
};

} // namespace lora::test
