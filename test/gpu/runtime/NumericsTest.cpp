//===- NumericsTest.cpp - Results of the C interface on the GPU ---------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GpuFixture.h"

using namespace lora;
using namespace lora::gpu;

namespace {

struct ShapeCase {
  const char *name;
  int64_t tokens, hidden;
  int32_t rank;
  DType type;
  std::vector<int32_t> widths;
  bool onEmulator = false;
};

void PrintTo(const ShapeCase &item, std::ostream *out) { *out << item.name; }

const ShapeCase kCases[] = {
    {"SmallOneToken", 1, 256, 16, DType::F16, {128}, true},
    {"SmallDecode", 12, 256, 16, DType::F16, {128, 64}, true},
    {"SmallBatch", 40, 256, 16, DType::F16, {128, 64, 64}, true},
    {"SmallRank64", 40, 512, 64, DType::BF16, {128, 64}},
    {"SmallOddSizes", 33, 331, 13, DType::F16, {77, 30, 9}},
    {"Decode4096", 16, 4096, 16, DType::F16, {4096, 1024, 1024}},
    {"DecodeBf16", 64, 4096, 16, DType::BF16, {4096, 1024, 1024}},
    {"LongRow", 16, 16384, 16, DType::F16, {4096}},
    {"Rank128", 128, 2048, 128, DType::BF16, {2048, 512}},
    {"Rank512", 64, 1024, 512, DType::F16, {1024}},
    {"Prefill", 2048, 4096, 16, DType::F16, {1024, 256}},
    {"PrefillRank64", 1500, 2048, 64, DType::BF16, {1024}},
    {"OddHidden", 300, 2049, 24, DType::BF16, {1023}},
};

class GpuNumerics : public GpuTest, public testing::WithParamInterface<ShapeCase> {
protected:
  LoraShape shape() const {
    const ShapeCase &item = GetParam();
    LoraShape shape = plainShape(item.tokens, item.hidden, item.rank, 6);
    shape.sliceWidths = item.widths;
    shape.xType = shape.wType = item.type;
    // Different ranks and an empty slot.
    shape.ranks[1] = item.rank % 16 == 0 ? item.rank / 2 : item.rank - 1;
    shape.ranks[3] = 0;
    return shape;
  }
};

TEST_P(GpuNumerics, AllOpsMatchTheReference) {
  if (isEmulator() && !GetParam().onEmulator)
    GTEST_SKIP() << "not for the emulator";
  for (bool addInputs : {true, false}) {
    LoraShape sizes = shape();
    sizes.addInputs = addInputs;
    Layer layer(*context, *device, sizes);
    std::vector<int32_t> slots = randomSlots(sizes.tokens, sizes.maxLoras, 7);
    layer.setHost(slots);
    lora_launch launch = layer.launch();
    for (lora_op op : {LORA_SHRINK, LORA_EXPAND, LORA_SHRINK_EXPAND}) {
      SCOPED_TRACE(std::string(op == LORA_SHRINK   ? "shrink"
                               : op == LORA_EXPAND ? "expand"
                                                   : "shrink_expand") +
                   (addInputs ? ", added" : ""));
      layer.reset(op == LORA_EXPAND ? std::span<const int32_t>(slots) : std::span<const int32_t>());
      auto function = op == LORA_SHRINK   ? lora_shrink
                      : op == LORA_EXPAND ? lora_expand
                                          : lora_shrink_expand;
      ASSERT_EQ(function(context->get(), &launch), LORA_SUCCESS) << lora_last_error();
      EXPECT_NO_THROW(layer.check(op, slots));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, GpuNumerics, testing::ValuesIn(kCases),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
