//===- DTypeTest.cpp - Tests of element types -----------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Support/DType.h"

#include "lora/Support/Error.h"

#include <gtest/gtest.h>

using namespace lora;

namespace {

TEST(DType, NamesRoundTrip) {
  for (DType type : {DType::F16, DType::BF16, DType::F32})
    EXPECT_EQ(parseDType(dtypeName(type)), type);
  EXPECT_THROW(parseDType("fp16"), Error);
}

TEST(DType, ElementsRoundTrip) {
  for (DType type : {DType::F16, DType::BF16, DType::F32}) {
    float storage[2] = {};
    storeElement(type, storage, 1, -1.5f);
    EXPECT_EQ(loadElement(type, storage, 1), -1.5f);
    EXPECT_EQ(loadElement(type, storage, 0), 0.0f);
  }
}

} // namespace
