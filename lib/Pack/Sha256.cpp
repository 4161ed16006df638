//===- Sha256.cpp - SHA-256 ---------------------------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Pack/Pack.h"

#include <algorithm>
#include <bit>
#include <cstring>

using namespace lora;

namespace {

constexpr uint32_t kRound[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

constexpr size_t kBlock = 64;

using HashState = std::array<uint32_t, 8>;

void addBlock(HashState &state, const uint8_t *block) {
  uint32_t w[64];
  for (int i = 0; i < 16; ++i)
    w[i] = uint32_t(block[4 * i]) << 24 | uint32_t(block[4 * i + 1]) << 16 |
           uint32_t(block[4 * i + 2]) << 8 | block[4 * i + 3];
  for (int i = 16; i < 64; ++i) {
    uint32_t a = w[i - 15], b = w[i - 2];
    w[i] = w[i - 16] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ (a >> 3)) + w[i - 7] +
           (std::rotr(b, 17) ^ std::rotr(b, 19) ^ (b >> 10));
  }
  HashState v = state;
  for (int i = 0; i < 64; ++i) {
    uint32_t sum1 = std::rotr(v[4], 6) ^ std::rotr(v[4], 11) ^ std::rotr(v[4], 25);
    uint32_t choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
    uint32_t first = v[7] + sum1 + choice + kRound[i] + w[i];
    uint32_t sum0 = std::rotr(v[0], 2) ^ std::rotr(v[0], 13) ^ std::rotr(v[0], 22);
    uint32_t majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
    v = {first + sum0 + majority, v[0], v[1], v[2], v[3] + first, v[4], v[5], v[6]};
  }
  for (int i = 0; i < 8; ++i)
    state[i] += v[i];
}

} // namespace

Sha256 lora::sha256(std::span<const std::byte> bytes) {
  HashState state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                     0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  const auto *data = reinterpret_cast<const uint8_t *>(bytes.data());
  size_t whole = bytes.size() / kBlock * kBlock, rest = bytes.size() - whole;
  for (size_t i = 0; i < whole; i += kBlock)
    addBlock(state, data + i);

  // The rest, a one bit, and the number of bits at the end of the last block.
  uint8_t tail[2 * kBlock] = {};
  std::copy(data + whole, data + bytes.size(), tail);
  tail[rest] = 0x80;
  size_t end = rest + 9 <= kBlock ? kBlock : 2 * kBlock;
  for (int i = 0; i < 8; ++i)
    tail[end - 1 - i] = static_cast<uint8_t>(uint64_t(bytes.size()) * 8 >> (8 * i));
  for (size_t i = 0; i < end; i += kBlock)
    addBlock(state, tail + i);

  Sha256 result;
  for (int i = 0; i < 32; ++i)
    result[i] = static_cast<uint8_t>(state[i / 4] >> (24 - 8 * (i % 4)));
  return result;
}
