//===- HalfTest.cpp - Conversions of all 16-bit floats -------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every 16-bit pattern is widened against its definition, computed with ldexp. Narrowing is checked
// on every 16-bit value, on the midpoint of every pair of neighbours, and on the floats just below
// and above each midpoint: between those points rounding cannot change.
//
//===----------------------------------------------------------------------===//

#include "lora/Support/Half.h"

#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace lora;

namespace {

struct Format {
  int mantissaBits;
  int bias;
  float (*widen)(uint16_t);
  uint16_t (*narrow)(float);

  uint32_t infinity() const { return 0x7fffu >> mantissaBits << mantissaBits; }
  uint32_t quietBit() const { return 1u << (mantissaBits - 1); }

  /// The value of a magnitude up to and including infinity's pattern, which gets the value that the
  /// next number would have if the exponent went on: overflow starts halfway to it.
  double value(uint32_t magnitude) const {
    const int exponent = static_cast<int>(magnitude >> mantissaBits);
    const int mantissa = static_cast<int>(magnitude & ((1u << mantissaBits) - 1));
    if (exponent == 0)
      return std::ldexp(mantissa, 1 - bias - mantissaBits);
    return std::ldexp((1 << mantissaBits) + mantissa, exponent - bias - mantissaBits);
  }
};

class HalfTest : public testing::TestWithParam<Format> {};

TEST_P(HalfTest, WidensEveryNumber) {
  const Format format = GetParam();
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const uint32_t magnitude = bits & 0x7fff;
    const float wide = format.widen(static_cast<uint16_t>(bits));
    ASSERT_EQ(std::signbit(wide), bits >= 0x8000) << bits;
    if (magnitude < format.infinity())
      ASSERT_EQ(std::fabs(wide), format.value(magnitude)) << bits;
    else if (magnitude == format.infinity())
      ASSERT_TRUE(std::isinf(wide)) << bits;
    else
      ASSERT_TRUE(std::isnan(wide)) << bits;
  }
}

TEST_P(HalfTest, NarrowingUndoesWidening) {
  const Format format = GetParam();
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const bool isNaN = (bits & 0x7fff) > format.infinity();
    const uint32_t expected = isNaN ? bits | format.quietBit() : bits;
    ASSERT_EQ(format.narrow(format.widen(static_cast<uint16_t>(bits))), expected) << bits;
  }
}

TEST_P(HalfTest, RoundsToNearestEven) {
  const Format format = GetParam();
  constexpr float beyond = std::numeric_limits<float>::infinity();
  for (uint32_t lower = 0; lower < format.infinity(); ++lower) {
    // Exact: a float is finer than either format, in its subnormal range too.
    const auto middle = static_cast<float>((format.value(lower) + format.value(lower + 1)) / 2);
    const uint32_t even = lower % 2 == 0 ? lower : lower + 1;
    for (const uint32_t sign : {0u, 0x8000u}) {
      const float factor = sign ? -1.0f : 1.0f;
      ASSERT_EQ(format.narrow(factor * middle), sign | even) << lower;
      ASSERT_EQ(format.narrow(factor * std::nextafter(middle, 0.0f)), sign | lower) << lower;
      ASSERT_EQ(format.narrow(factor * std::nextafter(middle, beyond)), sign | (lower + 1))
          << lower;
    }
  }
}

TEST_P(HalfTest, NarrowsExtremes) {
  const Format format = GetParam();
  using Limits = std::numeric_limits<float>;
  EXPECT_EQ(format.narrow(Limits::infinity()), format.infinity());
  EXPECT_EQ(format.narrow(-Limits::infinity()), 0x8000 | format.infinity());
  EXPECT_EQ(format.narrow(Limits::max()), format.infinity());
  EXPECT_EQ(format.narrow(Limits::denorm_min()), 0);
  EXPECT_EQ(format.narrow(-0.0f), 0x8000);
}

TEST_P(HalfTest, KeepsEveryNaN) {
  const Format format = GetParam();
  // The payload's low bits are lost; the result must not turn into infinity.
  for (const uint32_t bits : {0x7f800001u, 0x7fc00000u, 0x7fffffffu, 0xff800001u, 0xffffffffu}) {
    const uint16_t narrow = format.narrow(std::bit_cast<float>(bits));
    EXPECT_GT(narrow & 0x7fffu, format.infinity()) << bits;
    EXPECT_EQ(narrow >> 15, bits >> 31) << bits;
  }
}

INSTANTIATE_TEST_SUITE_P(Half, HalfTest, testing::Values(Format{10, 15, halfToFloat, floatToHalf}),
                         [](const auto &) { return "F16"; });
INSTANTIATE_TEST_SUITE_P(BFloat, HalfTest,
                         testing::Values(Format{7, 127, bfloatToFloat, floatToBFloat}),
                         [](const auto &) { return "BF16"; });

static_assert(floatToHalf(1.0f) == 0x3c00 && halfToFloat(0x3c00) == 1.0f);
static_assert(floatToBFloat(1.0f) == 0x3f80 && bfloatToFloat(0x3f80) == 1.0f);

} // namespace
