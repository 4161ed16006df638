//===- Half.h - Conversions between float and the 16-bit float types ------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// 16-bit values travel as the bits of a uint16_t: f16 is IEEE 754 binary16 (1 sign, 5 exponent and
// 10 mantissa bits), bf16 is the upper half of a float (1, 8 and 7). Widening is exact. Narrowing
// rounds to the nearest value, ties to even, keeps subnormals, and overflows to infinity. A NaN
// keeps its sign and as much of its payload as fits, and narrowing makes it quiet.
//
//===----------------------------------------------------------------------===//

#pragma once

#include <bit>
#include <cstdint>

namespace lora {

/// The f16 nearest to `value`, as bits.
constexpr uint16_t floatToHalf(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = (bits >> 16) & 0x8000;
  const uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000)
    return static_cast<uint16_t>(sign | 0x7e00 | ((magnitude >> 13) & 0x3ff));
  // 65520 lies halfway between the largest f16 and the value that would follow it.
  if (magnitude >= 0x477ff000)
    return static_cast<uint16_t>(sign | 0x7c00);
  if (magnitude >= 0x38800000) {
    // Rebias the exponent from 127 to 15. A carry out of the mantissa raises the exponent.
    const uint32_t rebiased = magnitude - (112u << 23);
    return static_cast<uint16_t>(sign | ((rebiased + 0xfff + ((rebiased >> 13) & 1)) >> 13));
  }
  // At most half the smallest subnormal, 2^-25: the tie goes to zero, which is even.
  if (magnitude <= 0x33000000)
    return static_cast<uint16_t>(sign);
  // Subnormal: count in units of 2^-24. The exponent is 102..112 here, the shift 14..24.
  const uint32_t shift = 126 - (magnitude >> 23);
  const uint32_t mantissa = (magnitude & 0x7fffff) | 0x800000;
  const uint32_t below = (1u << (shift - 1)) - 1;
  return static_cast<uint16_t>(sign | ((mantissa + below + ((mantissa >> shift) & 1)) >> shift));
}

/// The value of an f16 given as bits.
constexpr float halfToFloat(uint16_t half) {
  const uint32_t sign = (half & 0x8000u) << 16;
  const uint32_t exponent = (half >> 10) & 0x1f;
  const uint32_t mantissa = half & 0x3ff;
  if (exponent == 0x1f)
    return std::bit_cast<float>(sign | 0x7f800000 | (mantissa << 13));
  if (exponent != 0)
    return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
  // Zero or subnormal: mantissa * 2^-24, which a float holds exactly.
  const uint32_t magnitude = std::bit_cast<uint32_t>(static_cast<float>(mantissa) * 0x1p-24f);
  return std::bit_cast<float>(sign | magnitude);
}

/// The bf16 nearest to `value`, as bits.
constexpr uint16_t floatToBFloat(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffff) > 0x7f800000)
    return static_cast<uint16_t>((bits >> 16) | 0x40);
  return static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

/// The value of a bf16 given as bits.
constexpr float bfloatToFloat(uint16_t bfloat) {
  return std::bit_cast<float>(static_cast<uint32_t>(bfloat) << 16);
}

} // namespace lora
