//===- CaseTest.cpp - Tests of the cases of a benchmark -------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Bench/Case.h"

#include "lora/Support/Error.h"

#include <gtest/gtest.h>

using namespace lora;

namespace {

BenchCase smallCase() {
  BenchCase one;
  one.ops = {BenchOp::Shrink, BenchOp::Expand, BenchOp::Pair};
  one.batch = 16;
  one.hidden = 1024;
  one.widths = {1024};
  one.rank = 16;
  one.numLoras = one.active = 4;
  return one;
}

std::string errorOf(BenchCase one) {
  try {
    one.check();
  } catch (const Error &error) {
    return error.what();
  }
  return "no error";
}

TEST(BenchCase, BytesAndOperations) {
  BenchCase one = smallCase();
  int64_t x = 16 * 1024 * 2, a = 4 * 16 * 1024 * 2, s = 16 * 16 * 4;
  EXPECT_EQ(one.bytesOf(BenchOp::Shrink), x + a + s);
  EXPECT_EQ(one.bytesOf(BenchOp::Expand), s + a + 2 * x);
  EXPECT_EQ(one.bytesOf(BenchOp::Pair), x + a + a + 2 * x);
  EXPECT_EQ(one.flopsOf(BenchOp::Shrink), 2 * 16 * 16 * 1024);
  EXPECT_EQ(one.flopsOf(BenchOp::Pair), 2 * one.flopsOf(BenchOp::Shrink));
  EXPECT_EQ(one.setBytes(), 2 * x + 2 * a + 2 * s);
  BenchCase over = one;
  over.addInputs = false;
  EXPECT_EQ(one.bytesOf(BenchOp::Expand) - over.bytesOf(BenchOp::Expand), x);
}

TEST(BenchCase, TokensWithoutAdapterMoveNothing) {
  BenchCase one = smallCase();
  one.widths = {512, 128, 128};
  one.batch = 2;
  one.noLoraFraction = 0.5;
  EXPECT_EQ(one.withLora(), 1);
  EXPECT_EQ(one.reached(), 1);
  EXPECT_EQ(one.bytesOf(BenchOp::Expand), 3 * 16 * 4 + 768 * 16 * 2 + 768 * 2 * 2);
}

TEST(BenchCase, KeyIsThatOfPython) {
  BenchCase one = smallCase();
  EXPECT_EQ(one.key(),
            "batch=16 seq_length=1 hidden=1024 widths=(1024,) rank=16 num_loras=4 "
            "active=4 dtype=f16 sort=True no_lora_fraction=0.0 add_inputs=True offset=0");
  one.widths = {8, 4};
  one.noLoraFraction = 0.25;
  one.sort = one.addInputs = false;
  one.dtype = DType::BF16;
  one.label = "Llama qkv";
  EXPECT_EQ(one.key(),
            "batch=16 seq_length=1 hidden=1024 widths=(8, 4) rank=16 num_loras=4 active=4 "
            "dtype=bf16 sort=False no_lora_fraction=0.25 add_inputs=False offset=0 "
            "label=Llama qkv");
  one.noLoraFraction = 0.0001;
  EXPECT_NE(one.key().find("no_lora_fraction=0.0001 "), std::string::npos);
}

TEST(BenchCase, WhatNoKernelSupports) {
  BenchCase one = smallCase();
  EXPECT_EQ(errorOf(one), "no error");
  one.rank = 513;
  EXPECT_EQ(errorOf(one), "rank 513: expected at most 512");
  one = smallCase();
  one.active = 5;
  EXPECT_EQ(errorOf(one), "--num-active-loras 5: expected at most --num-loras 4");
  one = smallCase();
  one.noLoraFraction = 1;
  EXPECT_EQ(errorOf(one), "--no-lora-fraction 1: expected 0 or more, below 1");
  one = smallCase();
  one.batch = one.seqLength = 1 << 16;
  EXPECT_EQ(errorOf(one), "tokens 4294967296: expected 1 to 2147483647");
}

TEST(BenchCase, ShapeText) {
  EXPECT_EQ(shapeText(4096, std::vector<int64_t>{4096}), "4096->4096");
  EXPECT_EQ(shapeText(4096, std::vector<int64_t>{11008, 11008}), "4096->2x11008");
  EXPECT_EQ(shapeText(4096, std::vector<int64_t>{4096, 1024, 1024}), "4096->4096+1024+1024");
}

} // namespace
