//===- MeasureTest.cpp - Tests of measurements on the emulator ------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../ErrorOf.h"
#include "lora/Measure/ArgumentPool.h"
#include "lora/Measure/DeviceFacts.h"
#include "lora/Measure/GraphTimer.h"
#include "lora/Measure/Pattern.h"

#include "lora/Support/Error.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

using namespace lora;

namespace {

class Measure : public testing::Test {
protected:
  Device device;
  Stream stream{device};
};

TEST_F(Measure, PoolSetsAreWithinTheLimits) {
  EXPECT_EQ(poolSets(1000, {}), 32u);
  EXPECT_EQ(poolSets(100'000'000, {}), 20u);
  EXPECT_EQ(poolSets(4'000'000'000, {}), 2u);
  EXPECT_EQ(poolSets(0, {}), 32u);
  EXPECT_EQ(poolSets(1000, {1, 5000}), 2u);
}

TEST_F(Measure, PoolKeepsSetsApart) {
  ArgumentPool pool(device, {{"x", 1000}, {"y", 24}}, 3);
  EXPECT_EQ(pool.sets(), 3u);
  EXPECT_EQ(pool.setBytes(), 1024u);
  EXPECT_NE(pool.address(0, "x"), pool.address(1, "x"));
  std::vector<std::byte> first(24, std::byte(7)), found(24);
  pool.at(0, "y").upload(first, stream);
  pool.repeatFirst("y", stream);
  pool.at(2, "y").download(found, stream);
  EXPECT_EQ(found, first);
}

TEST_F(Measure, PoolSaysWhatIsWrong) {
  ArgumentPool pool(device, {{"x", 16}}, 2);
  EXPECT_EQ(errorOf([&] { pool.at(0, "z"); }), "argument pool: found no buffer 'z'");
  EXPECT_EQ(errorOf([&] { pool.at(2, "x"); }), "argument pool: set 2: expected below 2");
  EXPECT_EQ(errorOf([&] {
              ArgumentPool(device, {{"x", 1}, {"x", 1}}, 2);
            }),
            "argument pool: the name 'x' occurs twice");
  EXPECT_EQ(errorOf([&] {
              ArgumentPool(device, {{"x", size_t(1) << 28}}, 3);
            }),
            "a pool of 3 sets needs 0.8 GiB of device memory, found 0.5 GiB free: expected fewer "
            "sets or a smaller shape");
}

TEST_F(Measure, TimerGoesRoundTheSets) {
  GraphTimer timer(stream, {.calls = 8, .replays = 3, .warmups = 1});
  DeviceBuffer buffer(device, 4096);
  std::vector<int> counts(3);
  std::vector<DeviceCall> calls;
  for (int i = 0; i < 3; ++i)
    calls.push_back([&, i](Stream &stream) {
      ++counts[size_t(i)];
      buffer.fill(static_cast<uint8_t>(i), stream);
    });
  Timing timing = timer.time(calls);
  // Each is captured in turn; the first two also run before.
  EXPECT_EQ(counts, (std::vector<int>{4, 4, 2}));
  EXPECT_GT(timing.median, 0);
  EXPECT_LE(timing.low, timing.median);
  EXPECT_LE(timing.median, timing.high);
}

TEST_F(Measure, TimerReplaysWhatItCaptured) {
  GraphTimer timer(stream, {.calls = 2, .replays = 5});
  DeviceBuffer from(device, 8), to(device, 8);
  std::vector<std::byte> sent(8, std::byte(1)), found(8);
  from.upload(sent, stream);
  timer.time(std::vector<DeviceCall>{[&](Stream &stream) { to.copy(0, from, 0, 8, stream); }});
  to.download(found, stream);
  EXPECT_EQ(found, sent);
}

TEST_F(Measure, LongCallsGetFewerReplays) {
  GraphTimer timer(stream, {.calls = 1, .replays = 100, .longest = 1e-3, .useGraph = false});
  int count = 0;
  DeviceBuffer buffer(device, 1 << 20);
  timer.time(std::vector<DeviceCall>{[&](Stream &stream) {
    ++count;
    buffer.fill(1, stream);
  }});
  // One before the first replay, one that tells how long they take, and the fewest that count.
  EXPECT_EQ(count, 1 + 1 + 5);
}

TEST_F(Measure, TimerWithoutGraphsCallsEachTime) {
  GraphTimer timer(stream, {.calls = 4, .replays = 2, .warmups = 1, .useGraph = false});
  int count = 0;
  timer.time(std::vector<DeviceCall>{[&](Stream &) { ++count; }});
  EXPECT_EQ(count, 1 + 3 * 4);
}

TEST_F(Measure, CandidatesTakeTurns) {
  GraphTimer timer(stream, {.calls = 1, .replays = 2, .warmups = 0, .useGraph = false});
  std::string order;
  std::vector<std::vector<DeviceCall>> candidates = {
      {[&](Stream &) { order += 'a'; }},
      {[&](Stream &) { order += 'b'; }},
  };
  EXPECT_EQ(timer.timeInTurns(candidates).size(), 2u);
  EXPECT_EQ(order, "ababab");
}

TEST_F(Measure, TimerPassesErrorsOnAndCapturesNoLonger) {
  GraphTimer timer(stream, {.calls = 4, .replays = 1});
  int count = 0;
  std::vector<DeviceCall> failing = {[&](Stream &) {
    if (++count == 3)
      throw Error("no launch");
  }};
  EXPECT_EQ(errorOf([&] { timer.time(failing); }), "no launch");
  EXPECT_NO_THROW(timer.time(std::vector<DeviceCall>{[](Stream &) {}}));
  EXPECT_EQ(errorOf([&] { timer.time({}); }),
            "timer: found no call, expected one for each set of arguments");
  EXPECT_EQ(errorOf([&] { GraphTimer(stream, {.calls = 0}); }),
            "timer of 0 calls and 15 replays: expected at least one of each");
}

TEST_F(Measure, PatternRepeats) {
  Pattern pattern(DType::F16, 1, 3);
  size_t count = 2 * pattern.size() + 1000, start = 77;
  DeviceBuffer buffer(device, 2 * count);
  pattern.fill(buffer, start, stream);
  std::vector<std::byte> found(2 * count);
  buffer.download(found, stream);
  EXPECT_EQ(found, pattern.elements(start, 0, count));
  for (size_t i : {size_t(0), pattern.size() - 1, pattern.size(), count - 1})
    EXPECT_EQ(loadElement(DType::F16, found.data(), int64_t(i)), pattern.at(start, i));
  EXPECT_EQ(pattern.at(start, 0), pattern.at(start, pattern.size()));
  EXPECT_EQ(pattern.elements(0, start + 5, 9), pattern.elements(start, 5, 9));
}

TEST_F(Measure, PatternValuesAreUniform) {
  Pattern pattern(DType::F32, 0.5, 1);
  double sum = 0, squares = 0;
  for (size_t i = 0; i < pattern.size(); ++i) {
    double value = pattern.at(0, i);
    ASSERT_LT(std::abs(value), 0.5000001);
    sum += value;
    squares += value * value;
  }
  double count = static_cast<double>(pattern.size());
  EXPECT_NEAR(sum / count, 0, 1e-3);
  EXPECT_NEAR(squares / count, 1.0 / 12, 1e-3);
}

TEST_F(Measure, PatternFillsWholeElements) {
  DeviceBuffer odd(device, 7);
  EXPECT_EQ(errorOf([&] { Pattern(DType::F32, 1, 0).fill(odd, 0, stream); }),
            "pattern of f32: found a buffer of 7 bytes, expected whole elements");
}

TEST_F(Measure, DeviceFacts) {
  DeviceFacts facts = DeviceFacts::of(device);
  EXPECT_EQ(facts.name, "lora-tile emulator");
  EXPECT_EQ(facts.arch, "sm_0");
  EXPECT_EQ(facts.driver, "13.0");
  EXPECT_EQ(facts.memoryBytes, size_t(1) << 29);
}

TEST_F(Measure, CopyBandwidth) {
  GraphTimer timer(stream, {.replays = 3});
  EXPECT_GT(copyBandwidth(timer, 1 << 20), 1e6);
}

} // namespace
