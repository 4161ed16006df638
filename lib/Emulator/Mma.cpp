//===- Mma.cpp - The matrix product of a warp -----------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mma.h"

#include "lora/Support/Half.h"

#include <bit>
#include <cstring>

namespace lora::emulator {

static constexpr uint32_t rows = 16, columns = 8, maxDepth = 16;

float roundToTF32(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const bool finite = (bits & 0x7f800000) != 0x7f800000;
  if (!finite)
    return value;
  return std::bit_cast<float>((bits + 0x1000) & ~0x1fffu);
}

/// Element `index` of the operand at `offset` in the scratch area of a lane.
static float element(const Thread &lane, MmaType type, uint32_t offset, uint32_t index) {
  const std::byte *operand = lane.scratch.data() + offset;
  if (type == MmaType::TF32) {
    float value;
    std::memcpy(&value, operand + 4 * index, 4);
    return roundToTF32(value);
  }
  uint16_t bits;
  std::memcpy(&bits, operand + 2 * index, 2);
  return type == MmaType::F16 ? halfToFloat(bits) : bfloatToFloat(bits);
}

void multiplyAccumulate(MmaType type, llvm::MutableArrayRef<Thread> lanes) {
  // The places of a lane's elements are those in the PTX manual, sections "Matrix fragments for
  // mma.m16n8k16" and "... m16n8k8". Its groupID and threadID_in_group are `group` and `member`.
  const uint32_t depth = type == MmaType::TF32 ? 8 : 16;
  float lhs[rows][maxDepth], rhs[maxDepth][columns], sums[rows][columns];
  for (const Thread &lane : lanes) {
    const uint32_t group = lane.lane / 4, member = lane.lane % 4;
    for (uint32_t i = 0; i < depth / 2; ++i) {
      const uint32_t row = type == MmaType::TF32 ? i % 2 : i / 2 % 2;
      const uint32_t k =
          type == MmaType::TF32 ? member + 4 * (i / 2) : 2 * member + i % 2 + 8 * (i / 4);
      lhs[group + 8 * row][k] = element(lane, type, mmaLhsOffset, i);
    }
    for (uint32_t i = 0; i < depth / 4; ++i) {
      const uint32_t k = type == MmaType::TF32 ? member + 4 * i : 2 * member + i % 2 + 8 * (i / 2);
      rhs[k][group] = element(lane, type, mmaRhsOffset, i);
    }
    float accumulator[4];
    std::memcpy(accumulator, lane.scratch.data() + mmaAccumulatorOffset, sizeof(accumulator));
    for (uint32_t i = 0; i < 4; ++i)
      sums[group + 8 * (i / 2)][2 * member + i % 2] = accumulator[i];
  }
  for (uint32_t row = 0; row < rows; ++row)
    for (uint32_t k = 0; k < depth; ++k)
      for (uint32_t column = 0; column < columns; ++column)
        sums[row][column] += lhs[row][k] * rhs[k][column];
  for (Thread &lane : lanes) {
    const uint32_t group = lane.lane / 4, member = lane.lane % 4;
    float result[4];
    for (uint32_t i = 0; i < 4; ++i)
      result[i] = sums[group + 8 * (i / 2)][2 * member + i % 2];
    std::memcpy(lane.scratch.data() + mmaResultOffset, result, sizeof(result));
  }
}

} // namespace lora::emulator
