//===- ReplayTest.cpp - Graphs with other mappings and adapters ---------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GpuFixture.h"

using namespace lora;
using namespace lora::gpu;

namespace {

/// 12 tokens take one launch, 400 tokens two.
class GpuReplay : public GpuTest, public testing::WithParamInterface<int> {
protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (IsSkipped())
      return;
    if (isEmulator() && GetParam() > 40)
      GTEST_SKIP() << "not for the emulator";
    LoraShape shape = plainShape(GetParam(), 256, 16, 5);
    shape.sliceWidths = {128, 64};
    shape.ranks = {16, 8, 0, 16, 16};
    layer.emplace(*context, *device, shape);
  }

  void captureStep(std::optional<const int32_t *> mapFrom = {}) {
    lora_launch step = layer->launch();
    context->prepare(LORA_SHRINK_EXPAND, step);
    graph.emplace(layer->stream(), [&] {
      if (mapFrom)
        check(lora_mapping_set_device(layer->mapping(), *mapFrom, step.tokens, step.stream));
      context->shrinkExpand(step);
    });
  }

  void replayAndCheck(std::span<const int32_t> slots) {
    layer->reset();
    graph->launch(layer->stream());
    EXPECT_NO_THROW(layer->check(LORA_SHRINK_EXPAND, slots));
  }

  std::optional<Layer> layer;
  std::optional<Graph> graph;
};

TEST_P(GpuReplay, SmallGraphFollowsEveryKindOfMapping) {
  // Captured before there is any mapping.
  captureStep();
  replayAndCheck({});
  for (uint32_t round = 0; round < static_cast<uint32_t>(times(6)); ++round) {
    std::vector<int32_t> slots = randomSlots(GetParam(), round % 2 ? 5 : 2, round);
    slots.resize(slots.size() - round);
    layer->setHost(slots);
    replayAndCheck(slots);
    slots = randomSlots(GetParam(), 5, 100 + round);
    layer->setDevice(slots);
    replayAndCheck(slots);
    slots = randomSlots(GetParam() - 1, 3, 200 + round);
    layer->setV1(slots);
    replayAndCheck(slots);
  }
  layer->setHost({});
  replayAndCheck({});
}

TEST_P(GpuReplay, SmallGraphContainsItsMapping) {
  std::vector<int32_t> slots = randomSlots(GetParam(), 5, 1);
  captureStep(layer->upload(slots));
  for (uint32_t round = 0; round < static_cast<uint32_t>(times(4)); ++round) {
    slots = randomSlots(GetParam(), 5, round);
    slots[0] = 5;
    slots.back() = -2;
    layer->upload(slots);
    std::vector<int32_t> valid = slots;
    valid[0] = valid.back() = -1;
    replayAndCheck(valid);
    int32_t bad = 0;
    check(lora_mapping_check(layer->mapping(), layer->stream().handle(), &bad));
    EXPECT_EQ(bad, 2);
  }
}

TEST_P(GpuReplay, SmallGraphFollowsSwappedSlots) {
  std::vector<int32_t> slots = randomSlots(GetParam(), 5, 9);
  layer->setHost(slots);
  captureStep();
  replayAndCheck(slots);
  layer->putAdapter(0, 3);
  layer->putAdapter(3, 1);
  replayAndCheck(slots);
  layer->putAdapter(4, 2);
  layer->putAdapter(2, 0);
  replayAndCheck(slots);
}

TEST_P(GpuReplay, SmallProgrammaticChainIsExact) {
  std::vector<int32_t> slots = randomSlots(GetParam(), 5, 11);
  layer->setHost(slots);
  lora_launch step = layer->launch();
  context->prepare(LORA_SHRINK_EXPAND, step);
  auto run = [&](uint32_t flags) {
    Graph chain(layer->stream(), [&] {
      step.flags = 0;
      context->shrinkExpand(step);
      step.flags = flags;
      for (int i = 0; i < 20; ++i)
        context->shrinkExpand(step);
    });
    layer->reset();
    chain.launch(layer->stream());
    return layer->output();
  };
  EXPECT_EQ(run(0), run(LORA_LAUNCH_PROGRAMMATIC));
}

INSTANTIATE_TEST_SUITE_P(Tokens, GpuReplay, testing::Values(12, 400));

} // namespace
