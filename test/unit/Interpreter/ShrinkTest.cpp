//===- ShrinkTest.cpp - A whole LoRA shrink in the interpreter ------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InterpreterFixture.h"
#include "lora/Support/Half.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

using namespace lora;
using namespace lora::interpreter;

namespace {

struct Config {
  int blockM = 16, blockN = 16, blockK = 128, split = 1;
};

/// A shrink of f16 whose grid has a plane for each adapter in use, as the vLLM V1 kernels have.
std::string shrinkKernel(const Config &config) {
  std::string text = R"(
!x_tile = tensor<$Mx$Kxf16>
!a_tile = tensor<$Kx$Nxf16>
!s_tile = tensor<$Mx$Nxf32>

tile.kernel @shrink(
    %x: !tile.ptr<f16>, %a: !tile.ptr<!tile.ptr<f16>>, %s: !tile.ptr<f32>,
    %token_indices: !tile.ptr<i32>, %num_tokens_per_lora: !tile.ptr<i32>,
    %lora_start_loc: !tile.ptr<i32>, %active_lora_ids: !tile.ptr<i32>,
    %ranks: !tile.ptr<i32>, %scalings: !tile.ptr<f32>,
    %tokens: i32, %hidden: i32, %max_rank: i32, %slices: i32, %max_loras: i32,
    %x_stride: i64, %a_stride: i64, %s_stride: i64, %s_slice_stride: i64)
    grid ["tokens", "slices", "max_loras + 1"] {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %block_m = arith.constant $M : i32
  %block_n = arith.constant $N : i32
  %split_k = arith.constant $SPLIT : i32
  %plane = tile.program_id z : i32
  %planes = arith.addi %max_loras, %c1 : i32
  %Ids = tile.view %active_lora_ids sizes [%planes] strides [1] : !tile.ptr<i32> -> !tile.view<?xi32>
  %Counts = tile.view %num_tokens_per_lora sizes [%planes] strides [1] : !tile.ptr<i32> -> !tile.view<?xi32>
  %Starts = tile.view %lora_start_loc sizes [%planes] strides [1] : !tile.ptr<i32> -> !tile.view<?xi32>
  %lora = tile.load_scalar %Ids[%plane] : !tile.view<?xi32> -> i32
  %count = tile.load_scalar %Counts[%plane] : !tile.view<?xi32> -> i32
  %start = tile.load_scalar %Starts[%plane] : !tile.view<?xi32> -> i32
  %program = tile.program_id x : i32
  %block = arith.divui %program, %split_k : i32
  %blocks_n = arith.ceildivui %max_rank, %block_n : i32
  %m_block = arith.divui %block, %blocks_n : i32
  %n_block = arith.remui %block, %blocks_n : i32
  %m = arith.muli %m_block, %block_m : i32
  %n = arith.muli %n_block, %block_n : i32
  %has_adapter = arith.cmpi sge, %lora, %c0 : i32
  %has_tokens = arith.cmpi slt, %m, %count : i32
  %active = arith.andi %has_adapter, %has_tokens : i1
  scf.if %active {
    %slice = tile.program_id y : i32
    %Ranks = tile.view %ranks sizes [%max_loras] strides [1] : !tile.ptr<i32> -> !tile.view<?xi32>
    %Scalings = tile.view %scalings sizes [%max_loras] strides [1] : !tile.ptr<f32> -> !tile.view<?xf32>
    %rank = tile.load_scalar %Ranks[%lora] : !tile.view<?xi32> -> i32
    %scaling = tile.load_scalar %Scalings[%lora] : !tile.view<?xf32> -> f32
    %end = arith.addi %start, %count : i32
    %first = arith.addi %start, %m : i32
    %Tokens = tile.view %token_indices sizes [%end] strides [1] : !tile.ptr<i32> -> !tile.view<?xi32>
    %rows = tile.load %Tokens[%first] padding -1 : i32 : !tile.view<?xi32> -> tensor<$Mxi32>
    %slots = arith.extui %max_loras : i32 to i64
    %Table = tile.view %a sizes [%slices, %max_loras] strides [%slots, 1]
        : !tile.ptr<!tile.ptr<f16>> -> !tile.view<?x?x!tile.ptr<f16>>
    %weights = tile.load_scalar %Table[%slice, %lora] : !tile.view<?x?x!tile.ptr<f16>> -> !tile.ptr<f16>
    %X = tile.view %x sizes [%tokens, %hidden] strides [%x_stride, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
    %A = tile.view %weights sizes [%rank, %hidden] strides [%a_stride, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
    %At = tile.transpose %A : !tile.view<?x?xf16>
    %sum, %mine = tile.sum %k below %hidden step $K split $SPLIT across x to one -> !s_tile {
      %x_tile = tile.gather %X[%rows, %k] : !tile.view<?x?xf16>, tensor<$Mxi32> -> !x_tile
      %a_tile = tile.load %At[%k, %n] : !tile.view<?x?xf16> -> !a_tile
      %product = tile.dot %x_tile, %a_tile : !x_tile, !a_tile -> !s_tile
      tile.yield %product : !s_tile
    }
    scf.if %mine {
      %factor = tile.splat %scaling : f32 -> !s_tile
      %scaled = arith.mulf %sum, %factor : !s_tile
      %S = tile.view %s sizes [%slices, %tokens, %max_rank] strides [%s_slice_stride, %s_stride, 1]
          : !tile.ptr<f32> -> !tile.view<?x?x?xf32>
      %S_slice = tile.subview %S[%slice] : !tile.view<?x?x?xf32> -> !tile.view<?x?xf32>
      tile.scatter %scaled, %S_slice[%rows, %n] : !s_tile, !tile.view<?x?xf32>, tensor<$Mxi32>
    }
  }
  tile.return
})";
  const std::pair<std::string, int> values[] = {{"$M", config.blockM},
                                                {"$N", config.blockN},
                                                {"$K", config.blockK},
                                                {"$SPLIT", config.split}};
  for (const auto &[name, value] : values)
    for (size_t at; (at = text.find(name)) != std::string::npos;)
      text.replace(at, name.size(), std::to_string(value));
  return text;
}

/// A shrink over two slices of four adapters of ranks up to 16, with random f16 data.
class ShrinkTest : public InterpreterFixture {
protected:
  static constexpr int kSlices = 2, kLoras = 4, kMaxRank = 16;

  void setUp(std::vector<int32_t> mapping, int hiddenSize) {
    tokenLora = std::move(mapping);
    hidden = hiddenSize;
    const int tokens = tokenLora.size();
    std::mt19937 random(7);
    auto fill = [&](std::vector<uint16_t> &values, size_t size, float magnitude) {
      values.resize(size);
      for (uint16_t &value : values)
        value = floatToHalf((static_cast<int>(random() % 2001) - 1000) * magnitude / 1000);
    };
    fill(x, size_t(tokens) * hidden, 1);
    weights.resize(kSlices * kLoras);
    for (int i = 0; i != kSlices * kLoras; ++i)
      fill(weights[i], size_t(ranks[i % kLoras]) * hidden, 0.05);
    std::map<int32_t, std::vector<int32_t>> tokensOf;
    for (int token = 0; token != tokens; ++token)
      tokensOf[tokenLora[token]].push_back(token);
    ids.assign(kLoras + 1, -1);
    counts.assign(kLoras + 1, 0);
    starts.assign(kLoras + 1, 0);
    int active = 0;
    for (const auto &[lora, members] : tokensOf) {
      ids[active] = lora;
      counts[active] = members.size();
      starts[active++] = indices.size();
      indices.insert(indices.end(), members.begin(), members.end());
    }
    s.assign(size_t(kSlices) * tokens * kMaxRank, -7);
    arguments = {buffer(x, "x", false),
                 uint64_t(0),
                 buffer(s, "s"),
                 buffer(indices, "token_indices", false),
                 buffer(counts, "counts", false),
                 buffer(starts, "starts", false),
                 buffer(ids, "ids", false),
                 buffer(ranks, "ranks", false),
                 buffer(scalings, "scalings", false),
                 tokens,
                 hidden,
                 kMaxRank,
                 kSlices,
                 kLoras,
                 int64_t(hidden),
                 int64_t(hidden),
                 int64_t(kMaxRank),
                 int64_t(tokens) * kMaxRank};
    for (std::vector<uint16_t> &matrix : weights)
      table.push_back(buffer(matrix, "a" + std::to_string(table.size()), false));
    arguments[1] = buffer(table, "a", false);
  }

  std::vector<float> shrink(const Config &config, const Options &options = {}) {
    std::fill(s.begin(), s.end(), -7);
    auto blocks = [](int64_t size, int64_t block) { return (size + block - 1) / block; };
    const int64_t programs =
        blocks(tokenLora.size(), config.blockM) * blocks(kMaxRank, config.blockN) * config.split;
    expectSuccess(shrinkKernel(config), arguments, {programs, kSlices, kLoras + 1}, options);
    return s;
  }

  void expectNearReference(const std::vector<float> &result) {
    const int tokens = tokenLora.size();
    for (int slice = 0; slice != kSlices; ++slice)
      for (int token = 0; token != tokens; ++token)
        for (int r = 0; r != kMaxRank; ++r) {
          const int lora = tokenLora[token];
          const float found = result[(slice * tokens + token) * kMaxRank + r];
          double expected = lora < 0 ? -7 : 0;
          if (lora >= 0 && r < ranks[lora])
            for (int k = 0; k != hidden; ++k)
              expected += double(scalings[lora]) * halfToFloat(x[size_t(token) * hidden + k]) *
                          halfToFloat(weights[slice * kLoras + lora][size_t(r) * hidden + k]);
          ASSERT_NEAR(found, expected, 1e-4) << slice << " " << token << " " << r;
        }
  }

  int hidden = 0;
  std::vector<int32_t> tokenLora, indices, counts, starts, ids;
  std::vector<int32_t> ranks = {16, 8, 0, 5};
  std::vector<float> scalings = {0.5, 1, 2, 1.5};
  std::vector<uint16_t> x;
  std::vector<std::vector<uint16_t>> weights;
  std::vector<uint64_t> table;
  std::vector<float> s;
  std::vector<KernelArgument> arguments;
};

const std::vector<int32_t> kMapping = {3, 0, -1, 1, 0, 0, 3, 2, 1, -1, 0, 3, 1, 1, 0, 2};

TEST_F(ShrinkTest, MatchesTheReference) {
  setUp(kMapping, 1000);
  expectNearReference(shrink({}));
}

TEST_F(ShrinkTest, LargeHidden) {
  setUp(kMapping, 4096);
  expectNearReference(shrink({}));
}

TEST_F(ShrinkTest, AllConfigurationsAndOrdersGiveTheSameBits) {
  setUp(kMapping, 2500);
  const std::vector<float> expected = shrink({});
  for (const Config &config :
       {Config{16, 8, 64, 1}, Config{32, 16, 32, 4}, Config{16, 16, 128, 16}})
    EXPECT_EQ(shrink(config), expected);
  for (uint64_t seed : {1, 2})
    EXPECT_EQ(shrink({16, 16, 128, 2}, {seed}), expected);
}

} // namespace
